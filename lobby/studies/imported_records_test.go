package studies

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	studystore "ludoteca/storage/studies"
)

const played4 = "[Game \"4mation\"]\n[First \"a\u202eb\u200bc\"]\n[Second \"rui\"]\n[Strange \"\u2066x\"]\n\n1. a1 b2 2. c3 d4 1-0\n"

// TestImport: a record is kept as the program writes it, without what controls a terminal or a line; what is none is refused with its place.
func TestImport(t *testing.T) {
	for _, tt := range []struct {
		name  string
		who   match.User
		text  string
		store error
		want  error
	}{
		{name: "a record", who: ana, text: "\ufeff" + strings.ReplaceAll(played4, "\n", " \r\n")},
		{name: "a guest", who: guest, text: played4, want: refusal.ErrNeedsKey},
		{name: "a closed account", who: match.User{Kind: storage.Person, ID: "p3"}, text: played4, want: refusal.ErrAccountClosed},
		{name: "an illegal move", who: ana, text: strings.Replace(played4, "b2", "g7", 1), want: games.ErrIllegal},
		{name: "too many bytes", who: ana, text: played4 + strings.Repeat("\n", MaxText), want: refusal.ErrLongRecord},
		{name: "too many moves", who: ana, text: "[Game \"petteia\"]\n[Options \"quiet_limit=0 repetition=0\"]\n\n" + strings.Repeat("a1-a2 a8-a7 a2-a1 a7-a8 ", MaxPlies/4) + "a1-a2 *\n", want: refusal.ErrLongRecord},
		{name: "many", who: ana, text: played4, store: studystore.ErrManyStudies, want: refusal.ErrManyStudies},
		{name: "a taken id, always", who: ana, text: played4, store: storage.ErrStale, want: refusal.ErrBusy},
		{name: "a store that fails", who: ana, text: played4, store: errors.New("on fire"), want: refusal.ErrBusy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kept := &store{err: tt.store}
			s := newService(kept)
			st, err := s.Import(t.Context(), tt.who, tt.text)
			if !errors.Is(err, tt.want) || err == nil && tt.want != nil {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				return
			}
			want := "[Game \"4mation\"]\n[First \"abc\"]\n[Second \"rui\"]\n[Strange \"x\"]\n\n1. a1 b2 2. c3 d4 1-0\n"
			if st.Text != want || st.Game != "fourmation" || st.First != "abc" || st.Plies != 4 || st.Result != "1-0" || len(st.ID) != 8 || st.At != now || st.Player != "p1" {
				t.Errorf("kept %+v", st)
			}
			f, err := s.Record(st)
			if err != nil || f.Result != "first" || len(f.Moves) != 4 || f.First != (storage.Occupant{Kind: storage.Person, ID: "study first", Name: "abc"}) {
				t.Errorf("as a match %+v, %v", f, err)
			}
			if again, err := s.Study(t.Context(), ana, strings.ToUpper(string(st.ID))); err != nil || again.Text != want {
				t.Errorf("read again %+v, %v", again, err)
			}
			if _, err := s.Study(t.Context(), guest, string(st.ID)); !errors.Is(err, refusal.ErrNoSuchMatch) {
				t.Errorf("a guest gets %v", err)
			}
			if _, err := s.Study(t.Context(), match.User{Kind: storage.Person, ID: "p9"}, string(st.ID)); !errors.Is(err, refusal.ErrNoSuchMatch) {
				t.Errorf("another player gets %v", err)
			}
		})
	}
}

// TestImportsAreThrottled: three in a row, and then one in twenty seconds.
func TestImportsAreThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(&store{})
		for n := range 7 {
			_, err := s.Import(t.Context(), ana, played4)
			var wait *refusal.ChattyError
			if throttled := n == 3 || n == 5; errors.As(err, &wait) != throttled || !throttled && err != nil {
				t.Fatal(fmt.Sprint("import ", n), err)
			} else if throttled {
				time.Sleep(wait.Wait)
			}
		}
	})
}
