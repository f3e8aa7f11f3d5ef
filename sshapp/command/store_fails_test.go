package command

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/cluster"
	matchstore "ludoteca/storage/matches"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
	tournamentstore "ludoteca/storage/tournaments"
)

var errNoAnswer = errors.New("the store does not answer")

// A failingStore is a store that doesn't answer some requests any more once it has written the beginning of a match or of an event.
type failingStore struct {
	lobby.Store
	failed atomic.Bool
}

func (s *failingStore) fail(err error) error {
	s.failed.Store(err == nil)
	return err
}

func (s *failingStore) answer() error {
	if s.failed.Load() {
		return errNoAnswer
	}
	return nil
}

// SaveSettings implements lobby.Store.
func (s *failingStore) SaveSettings(ctx context.Context, id storage.PlayerID, settings accounts.Settings) error {
	return errors.Join(s.answer(), s.Store.SaveSettings(ctx, id, settings))
}

// AppendTournament implements lobby.Store.
func (s *failingStore) AppendTournament(ctx context.Context, id storage.TournamentID, entries []tournamentstore.Entry, m tournamentstore.Summary) error {
	if err := s.answer(); err != nil {
		return err
	}
	return s.fail(s.Store.AppendTournament(ctx, id, entries, m))
}

// TournamentLog implements lobby.Store.
func (s *failingStore) TournamentLog(ctx context.Context, id storage.TournamentID, from uint64, most int) ([]tournamentstore.Entry, error) {
	if err := s.answer(); err != nil {
		return nil, err
	}
	return s.Store.TournamentLog(ctx, id, from, most)
}

// AddSeries implements lobby.Store.
func (s *failingStore) AddSeries(ctx context.Context, series tournamentstore.Series) error {
	return s.fail(s.Store.AddSeries(ctx, series))
}

// Series implements lobby.Store.
func (s *failingStore) Series(ctx context.Context) ([]tournamentstore.Series, error) {
	if err := s.answer(); err != nil {
		return nil, err
	}
	return s.Store.Series(ctx)
}

// A losingNode is what a node shares with others. It is cut off when it has written the beginning of a match.
type losingNode struct {
	lobby.Shared
	store *failingStore
}

// OpenMatch implements lobby.Shared.
func (n losingNode) OpenMatch(ctx context.Context, id storage.MatchID, events []matchstore.Event, m matchstore.Summary, t cluster.Terms) error {
	err := n.store.fail(n.Shared.OpenMatch(ctx, id, events, m, t))
	<-time.After(2 * nodes.CutOffAfter)
	return err
}

// BeatNode implements lobby.Shared.
func (n losingNode) BeatNode(ctx context.Context, one cluster.Node, now func() time.Time) (cluster.Outage, error) {
	if err := n.store.answer(); err != nil {
		return cluster.Outage{}, err
	}
	return n.Shared.BeatNode(ctx, one, now)
}

// inFailingClub runs f in a bubble, with a node of a club whose store fails after a match or an event is made.
func inFailingClub(t *testing.T, f func(h *fixture, store *failingStore)) {
	synctest.Test(t, func(t *testing.T) {
		engine, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "club.db"), schema.Config{Rate: rating.Rate})
		if err != nil {
			t.Fatal(err)
		}
		defer engine.Close()
		store := &failingStore{Store: lobby.StoreOf(engine)}
		club, err := lobby.New(t.Context(), store, lobby.Config{
			Games: catalog.All(), Node: "one", Shared: losingNode{lobby.SharedOf(engine), store},
			Levels: []lobby.Level{{
				ID: "first", Name: "First", Sentence: "Plays the first move there is.",
				Move: func(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
					return p.Legal()[0], nil
				},
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer club.Close()
		h := &fixture{t: t, run: New(club, slog.New(slog.DiscardHandler), Options{Gate: fastGate()}), store: engine}
		h.as("ana", Done, "name ana")
		f(h, store)
	})
}

// TestOpenedWhileTheStoreFails: who has opened a match learns its code, though the node is cut off from the store before it answers.
func TestOpenedWhileTheStoreFails(t *testing.T) {
	for _, line := range []string{
		"new tanks size=6 --side second --clock 5+3", "seek tanks --side second --clock 5+3", "new tanks --side second --vs first --clock 5+3",
		"quick tanks --clock 5+3",
	} {
		t.Run(line, func(t *testing.T) {
			inFailingClub(t, func(h *fixture, store *failingStore) {
				made := h.object("ana", line+" --json")
				all, err := h.store.Matches.Summaries(t.Context())
				if err != nil || len(all) != 1 {
					t.Fatalf("there are %d matches: %v", len(all), err)
				}
				if !store.failed.Load() || h.run.lobby.Ready() == nil {
					t.Fatal("the node is not cut off")
				}
				if m := all[0]; made["code"] != m.Opening.Code || made["id"] != string(m.ID) || made["game"] != "tanks" || made["clock"] != "5+3" ||
					made["waiting"] != m.Started.IsZero() || made["side"] != m.Opener.Side().String() || len(made["options"].(map[string]any)) != len(m.Opening.Options) {
					t.Errorf("answered with %v, written is %+v", made, m)
				}
				if _, said := h.as("ana", Refused, "new tanks"); !strings.Contains(said, "Out of touch") {
					t.Errorf("the next one is refused with %q", said)
				}
			})
		})
	}
}

// TestOpenedAtThePromptWhileTheStoreFails does the same in the line mode.
func TestOpenedAtThePromptWhileTheStoreFails(t *testing.T) {
	for _, line := range []string{"play tanks first", "new tanks --vs first", "new tanks"} {
		t.Run(line, func(t *testing.T) {
			inFailingClub(t, func(h *fixture, _ *failingStore) {
				said := h.atPrompt("ana", line+"\n")
				all, err := h.store.Matches.Summaries(t.Context())
				if err != nil || len(all) != 1 {
					t.Fatalf("there are %d matches: %v", len(all), err)
				}
				if !strings.Contains(said, all[0].Opening.Code) {
					t.Errorf("the code %s is not in:\n%s", all[0].Opening.Code, said)
				}
			})
		})
	}
}

// TestStandingWhileTheStoreFails: who has made a standing offer is told that it is kept, though its match isn't known to be open.
func TestStandingWhileTheStoreFails(t *testing.T) {
	inFailingClub(t, func(h *fixture, _ *failingStore) {
		out, _ := h.as("ana", Refused, "new tanks --clock 3d --standing 1 --json")
		if !strings.Contains(out, "Your standing offer is kept.") || !strings.Contains(out, string(codeBusy)) {
			t.Errorf("refused with %s", out)
		}
		if kept := h.object("ana", "standing --json"); kept["number"] != 1.0 {
			t.Errorf("kept is %v", kept)
		}
	})
}

// TestAnnouncedWhileTheStoreFails: who has announced an event learns its code, and an operator that of a series, though nothing can be read any more.
func TestAnnouncedWhileTheStoreFails(t *testing.T) {
	for _, flag := range []string{"", " --every week"} {
		inFailingClub(t, func(h *fixture, store *failingStore) {
			line := "event new swiss 4mation --at 2099-12-04 20:00 Europe/Lisbon --name 'Tea at five' --json"
			if flag == "" {
				line = strings.Replace(line, "2099-12-04 20:00 Europe/Lisbon", "+30m", 1)
			}
			out, _ := h.asOperator("ana", Done, line+flag)
			made := decode(t, out)
			if !store.failed.Load() {
				t.Fatal("the store answers")
			}
			if flag != "" {
				all, err := store.Store.Series(t.Context())
				if err != nil || len(all) != 1 || made["series"] != string(all[0].ID) {
					t.Errorf("answered with %v, written is %v, %v", made, all, err)
				}
				return
			}
			id, err := store.Store.TournamentByCode(t.Context(), made["code"].(string))
			if err != nil || made["id"] != string(id) || made["name"] != "Tea at five" || made["state"] != "open" {
				t.Errorf("answered with %v, written is %s, %v", made, id, err)
			}
		})
	}
}
