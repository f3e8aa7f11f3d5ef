package newmatch

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
)

// TestChallengeForm: the form of a challenge has the name, says how long the challenge waits, and asks for what it shows.
func TestChallengeForm(t *testing.T) {
	here, gone := seats.Opponent{Occupant: uitest.Person("p6", "rui"), Both: true}, seats.Opponent{Occupant: uitest.Person("p6", "rui")}
	for _, tt := range []struct {
		name  string
		rival seats.Opponent
		keys  []string
		err   error
		sees  []string
		asked []string
		want  *seats.Spec
	}{
		{"here", here, []string{"end"}, nil, []string{"rui · 60 s to answer", "rui is here. Without an answer the challenge ends after 60 s."}, []string{"rui"}, nil},
		{"gone", gone, []string{"end"}, nil, []string{"rui · may answer later", "rui is not here just now."}, []string{"rui"}, nil},
		{"days for a move", here, []string{"down", "down", "down", "left", "end"}, nil, []string{"rui · may answer later", "there is no hurry"}, []string{"rui"}, nil},
		{"another name", here, []string{"up", "backspace", "y", "down"}, nil, []string{"ruy · 60 s to answer"}, []string{"rui", "ruy"}, nil},
		{"unknown", here, nil, lobby.ErrNoSuchPlayer, []string{"There is no player rui here. Check how the name is written."}, []string{"rui"}, nil},
		{"oneself", here, nil, lobby.ErrOwnChallenge, []string{"You can't challenge yourself."}, []string{"rui"}, nil},
		{"unavailable", here, nil, lobby.ErrUnavailable, []string{"isn't available for a match now"}, []string{"rui"}, nil},
		{"no name", here, []string{"up", "ctrl+u"}, nil, []string{"Whom do you challenge? Type a name."}, []string{"rui"}, nil},
		{"unknown when it is opened", here, []string{"enter"}, lobby.ErrNoSuchPlayer, []string{"! There is no player rui here."}, []string{"rui"}, &seats.Spec{Game: "momentum", To: "rui"}},
		{"opened", here, []string{"right", "down", "right", "down", "right", "enter"}, nil, nil, []string{"rui"},
			&seats.Spec{Game: "petteia", To: "rui", Side: seats.PlayFirst, Rated: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club := uitest.FullLobby()
			club.Rival, club.Err = tt.rival, tt.err
			walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("Challenge rui")
				s.Keys(tt.keys...)
				for _, words := range tt.sees {
					s.Reads(words)
				}
				if diff := cmp.Diff(tt.asked, club.Asked); diff != "" {
					t.Errorf("asked about (-want +got):\n%s", diff)
				}
				if tt.want == nil {
					if len(club.Opened) > 0 {
						t.Errorf("opened %+v", club.Opened)
					}
					return
				}
				club.Opened[0].Options = nil
				if diff := cmp.Diff(*tt.want, club.Opened[0]); diff != "" {
					t.Errorf("opened (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestChallengeFormNarrow: how long the challenge waits can be read to its end in the smallest window, in every language.
func TestChallengeFormNarrow(t *testing.T) {
	for _, language := range []string{"en", "pt", "de"} {
		for _, both := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				club := uitest.FullLobby()
				club.Rival = seats.Opponent{Occupant: uitest.Person("p6", "abcdefghij-klmnopqrs"), Both: both}
				s := begin(t, 40, 20, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: language}})
				s.GoTo("Challenge rui")
				form := s.App.Top().(setup)
				form.opponent.name = form.opponentName()
				s.Keys("end")
				s.Reads(form.answerTime())
			})
		}
	}
}

// TestRatingRange: which ratings an offer is for, by arrows and typed.
func TestRatingRange(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		sees []string
		want [2]int // zero: any, or nothing is opened
		bad  bool
	}{
		{"any", nil, []string{"Ratings", "any"}, [2]int{}, false},
		{"around the player's own", []string{"right", "right"}, []string{"‹ within 200: 1323-1723 ›", "Your rating counts as 1523."}, [2]int{1323, 1723}, false},
		{"back to any", []string{"right", "left"}, []string{"‹ any ›"}, [2]int{}, false},
		{"without a rating", []string{"home", "down", "left", "left", "down", "down", "down", "down", "down", "right"}, []string{"within 100: 1400-1600", "counts as 1500"}, [2]int{1400, 1600}, false},
		{"typed", []string{"1400-1650"}, []string{"1400-1650_"}, [2]int{1400, 1650}, false},
		{"typed, too much", []string{"1400-16500"}, []string{"1400-1650_"}, [2]int{1400, 1650}, false},
		{"typed, then arrows", []string{"1400-1650", "right"}, []string{"within 100: 1423-1623"}, [2]int{1423, 1623}, false},
		{"half typed", []string{"1400-"}, []string{"A range is two ratings up to 4000, the lower one first, like 1400-1600."}, [2]int{}, true},
		{"upside down", []string{"1600-1400"}, []string{"the lower one first"}, [2]int{}, true},
		{"too high", []string{"1600-4001"}, []string{"up to 4000"}, [2]int{}, true},
		{"taken back", []string{"1600", "backspace", "backspace", "backspace", "backspace", "backspace"}, []string{"‹ any ›"}, [2]int{}, false},
		{"not for a private match", []string{"1600-1700", "up", "up", "right"}, []string{"friends by code"}, [2]int{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			club := uitest.FullLobby()
			walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
				s.GoTo("New match...")
				s.Keys("right", "right", "down", "down", "down", "down", "down") // 4Mation
				if at := s.App.Top().(setup).form.At(); at != keyRange {
					t.Fatalf("the cursor is on %s", at)
				}
				s.Keys(tt.keys...)
				for _, words := range tt.sees {
					s.Reads(words)
				}
				s.Keys("enter")
				if len(club.Opened) > 0 == tt.bad || !tt.bad && club.Opened[0].Range != tt.want {
					t.Errorf("opened %+v, want a range of %v", club.Opened, tt.want)
				}
			})
		})
	}
}

func newChallengeOfRui(e *screen.Env) screen.Screen { return NewChallenge(e, "rui") }
