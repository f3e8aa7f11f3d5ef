package eventspage

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/names"
	"ludoteca/lobby/tournaments"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/apptest"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	tournamentstore "ludoteca/storage/tournaments"
)

// recorded announces the events of a club, and keeps what was asked for.
type recorded struct {
	screen.Announcer
	announced []tournaments.Spec
	weekly    []tournaments.Weekly
	refuses   error // what Announce returns; nil: it announces
	inSeries  screen.Series
}

func (r *recorded) Announce(ctx context.Context, who lobby.User, spec tournaments.Spec) (tournaments.Ref, error) {
	r.announced = append(r.announced, spec)
	if r.refuses != nil {
		return tournaments.Ref{}, r.refuses
	}
	return r.Announcer.Announce(ctx, who, spec)
}

// Add implements screen.Series.
func (r *recorded) Add(ctx context.Context, spec tournaments.Spec, when tournaments.Weekly) (tournamentstore.Series, error) {
	r.announced, r.weekly = append(r.announced, spec), append(r.weekly, when)
	return r.inSeries.Add(ctx, spec, when)
}

// anOperator is an operator who does nothing.
type anOperator struct{ screen.Operator }

// inClub runs a test in a bubble, at the list of events of a real club, as a player whose account is of an age.
func inClub(t *testing.T, age time.Duration, cfg ui.Config, f func(s *uitest.Session, events *recorded)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		club := uitest.OpenLobby(t)
		cfg.Lobby, cfg.Now = screen.Of(club), time.Now
		events := &recorded{Announcer: cfg.Lobby.Events.Announcer, inSeries: cfg.Lobby.Events.Series}
		cfg.Lobby.Events.Announcer, cfg.Lobby.Events.Series = events, events
		if cfg.Who == (lobby.User{}) {
			ana, err := club.Accounts.SignUp(t.Context(), "SHA256:ana", "ana")
			if err != nil {
				t.Fatal(err)
			}
			cfg.Who = ana
		}
		<-time.After(age)
		cfg.Pages = apptest.Home(uitest.HomeItem{Words: "Events", Open: NewList})
		s := apptest.Begin(t, 80, 24, cfg)
		s.GoTo("Events")
		s.Pass(time.Second)
		f(s, events)
	})
}

// old is the age from which an account may announce events.
const old = tournaments.MinAge

// to moves the cursor of the form to the field with a label.
func to(s *uitest.Session, label string) {
	s.T.Helper()
	s.Keys("home")
	for range 40 {
		for line := range strings.Lines(s.Page()) {
			if strings.HasPrefix(line, " > "+label) {
				return
			}
		}
		s.Keys("tab")
	}
	s.T.Fatalf("the form has no field %q:\n%s", label, s.Page())
}

// A step of a test goes to a field and presses keys there.
type step struct {
	label string
	keys  []string
}

func clockOf(name string) clock.Setting { return clockNamed(name) }

// TestAnnounceByTheForm fills in the form for each kind of event and looks at what the club was asked for, and at the page of the event afterwards.
func TestAnnounceByTheForm(t *testing.T) {
	momentum := []tournaments.Game{{ID: "momentum", Options: games.Options{"size": 7, "marbles": 8}}}
	kind := func(n int) step { return step{"Kind", times(n, "right")} }
	tests := []struct {
		name  string
		steps []step
		want  tournaments.Spec
	}{
		{"as it stands", nil, tournaments.Spec{Kind: tournamentstore.Arena, Games: momentum, Name: "Momentum arena", Clock: clockOf("5+3"), Span: time.Hour, Least: 4, Most: 512}},
		{"an arena of 25 minutes, rated", []step{{"Minutes", []string{"25"}}, {"The event is", []string{"right"}}, {"Players at least", []string{"left", "left"}}, {"Players at most", []string{"16"}}},
			tournaments.Spec{Kind: tournamentstore.Arena, Games: momentum, Name: "Momentum arena", Clock: clockOf("5+3"), Span: 25 * time.Minute, Least: 2, Most: 16, Rated: true}},
		{"a Swiss with a name", []step{kind(1), {"Game", []string{"right"}}, {"Rounds", []string{"right", "right"}}, {"Name", []string{"Tea at five"}}, {"Clock", []string{"right"}}},
			tournaments.Spec{Kind: tournamentstore.Swiss, Games: []tournaments.Game{{ID: "petteia", Options: uitest.OptionsOf(t, "petteia")}}, Name: "Tea at five", Clock: clockOf("10+5"), Rounds: 7, Least: 4, Most: 512}},
		{"a round robin with days, twice", []step{kind(2), {"Clock", []string{"left", "left", "left"}}, {"Each pair plays", []string{"space"}}},
			tournaments.Spec{Kind: tournamentstore.Robin, Games: momentum, Name: "Momentum round robin", Clock: clockOf("3d"), Twice: true, Least: 3, Most: 32}},
		{"days are only for round robins", []step{kind(2), {"Clock", []string{"left"}}, {"Kind", []string{"right"}}},
			tournaments.Spec{Kind: tournamentstore.Knockout, Games: momentum, Name: "Momentum knockout", Clock: clockOf("5+3"), Least: 4, Most: 512}},
		{"a medley of two, as an arena", []step{kind(4), {"Rounds as in", []string{"right"}}, {"Petteia", []string{"right"}}, {"4Mation", []string{"right"}}, {"Flügelrad", []string{"right"}}, {"Momentum", []string{"right", "right"}}},
			tournaments.Spec{Kind: tournamentstore.Medley, Base: tournamentstore.Arena, Games: []tournaments.Game{{ID: "tanks"}, {ID: "momentum"}}, Name: "Medley", Clock: clockOf("5+3"), Span: time.Hour, Least: 4, Most: 512}},
		{"an exhibition with the second side", []step{kind(5), {"You play", []string{"left"}}},
			tournaments.Spec{Kind: tournamentstore.Simul, Games: momentum, Name: "Momentum exhibition", Clock: clockOf("5+3"), Side: "second", Least: 2, Most: 65}},
		{"by code, never rated", []step{{"The event is", []string{"right"}}, {"Open to", []string{"left"}}},
			tournaments.Spec{Kind: tournamentstore.Arena, Games: momentum, Name: "Momentum arena", Clock: clockOf("5+3"), Span: time.Hour, Least: 4, Most: 512, Private: true}},
		{"for some ratings", []step{{"Open to", []string{"right"}}, {"Ratings", []string{"ctrl+u", "1400-1600"}}, {"Computer accounts", []string{"right"}}},
			tournaments.Spec{Kind: tournamentstore.Arena, Games: momentum, Name: "Momentum arena", Clock: clockOf("5+3"), Span: time.Hour, Least: 4, Most: 512, Range: [2]int{1400, 1600}, Engines: true}},
		{"filled up", []step{{"Computer players", []string{"right"}}},
			tournaments.Spec{Kind: tournamentstore.Arena, Games: momentum, Name: "Momentum arena", Clock: clockOf("5+3"), Span: time.Hour, Least: 4, Most: 512, Fill: 4, Level: "random"}},
		{"filled up, but rated after all", []step{{"Computer players", []string{"right"}}, {"The event is", []string{"right"}}},
			tournaments.Spec{Kind: tournamentstore.Arena, Games: momentum, Name: "Momentum arena", Clock: clockOf("5+3"), Span: time.Hour, Least: 4, Most: 512, Rated: true}},
		{"a bigger board", []step{{"Board size", []string{"9"}}},
			tournaments.Spec{Kind: tournamentstore.Arena, Games: []tournaments.Game{{ID: "momentum", Options: games.Options{"size": 9, "marbles": 8}}}, Name: "Momentum arena", Clock: clockOf("5+3"), Span: time.Hour, Least: 4, Most: 512}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inClub(t, old, ui.Config{}, func(s *uitest.Session, events *recorded) {
				s.Keys("n")
				for _, st := range tt.steps {
					to(s, st.label)
					s.Keys(st.keys...)
				}
				now := time.Now()
				s.Keys("enter")
				s.Pass(time.Second)
				if len(events.announced) != 1 {
					t.Fatalf("announced %d events, want 1:\n%s", len(events.announced), s.Page())
				}
				got := events.announced[0]
				if in := got.Begins.Sub(now); in < 15*time.Minute || in >= 16*time.Minute || got.Begins.Second() != 0 {
					t.Errorf("it begins at %v, %v from now", got.Begins, in)
				}
				got.Begins = time.Time{}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("announced (-want +got):\n%s", diff)
				}
				s.OnScreen("eventspage.eventPage")
				s.Sees(tt.want.Name, "It begins")
				s.Keys("esc")
				s.OnScreen("eventspage.eventList") // the form is not in the way back
			})
		})
	}
}

// times returns a key some times over.
func times(n int, key string) (keys []string) {
	for range n {
		keys = append(keys, key)
	}
	return keys
}

// TestAnnounceAtATime types the time at which an event begins: with a zone, without one, and wrongly.
func TestAnnounceAtATime(t *testing.T) {
	tests := []struct {
		typed string
		want  string // in UTC; "" for none
		sees  string
	}{
		{"2000-01-20 20:00 Europe/Lisbon", "2000-01-20T20:00:00Z", ""},
		{"2000-01-20 20:00 Europe/Berlin", "2000-01-20T19:00:00Z", ""},
		{"2000-01-20 20:00", "2000-01-20T20:00:00Z", ""},
		{"+3h", "2000-01-11T03:00:00Z", ""},
		{"tomorrow", "", "This is no date and time"},
		{"2000-01-20 20:00 Europe/Nowhere", "", "This is no date and time"},
		{"1999-01-20 20:00", "", "An event begins at least a minute and at most 60 days from now."},
		{"2000-08-20 20:00", "", "An event begins at least a minute and at most 60 days from now."},
	}
	for _, tt := range tests {
		t.Run(tt.typed, func(t *testing.T) {
			inClub(t, 10*24*time.Hour-time.Second, ui.Config{}, func(s *uitest.Session, events *recorded) {
				s.Keys("n")
				to(s, "Begins")
				s.Keys("left")
				s.Sees("at a time", "2000-01-12 20:00 UTC")
				to(s, "Date and time")
				s.Keys("end", "ctrl+u", tt.typed)
				to(s, "Kind") // the error names its field from anywhere
				if tt.want == "" {
					s.Sees("Date and time: ")
				}
				s.Keys("enter")
				s.Pass(time.Second)
				if tt.want == "" {
					if len(events.announced) > 0 {
						t.Fatalf("announced %+v", events.announced)
					}
					s.Sees(" > Date and time", tt.typed, tt.sees)
					return
				}
				if len(events.announced) != 1 {
					t.Fatalf("announced %d events:\n%s", len(events.announced), s.Page())
				}
				if got := events.announced[0].Begins.UTC().Format(time.RFC3339); got != tt.want {
					t.Errorf("it begins at %s, want %s", got, tt.want)
				}
			})
		})
	}
}

// TestFormSaysWhatIsWrong: a mistake is said from every field, enter leads to its own, which is marked, and what was chosen stays.
func TestFormSaysWhatIsWrong(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
		field string
		value string // as it stays in the form
		sees  string
	}{
		{"a name of staff", []step{{"Name", []string{"The operator"}}}, "Name", "The operator", "This name is kept for guests, computer players or staff."},
		{"a short name", []step{{"Name", []string{"A"}}}, "Name", "A", "The name of an event has 3 to 40 letters."},
		{"a range that is none", []step{{"Open to", []string{"right"}}, {"Ratings", []string{"ctrl+u", "1600-1400"}}}, "Ratings", "1600-1400", "Type the lowest and the highest rating"},
		{"one game", []step{{"Kind", times(4, "right")}, {"Petteia", []string{"right"}}, {"4Mation", []string{"right"}}, {"Flügelrad", []string{"right"}}, {"Momentum", []string{"right"}}}, "Momentum", "no", "A medley has at least two games."},
		{"more at least than at most", []step{{"Players at least", []string{"20"}}, {"Players at most", []string{"10"}}}, "Players at most", "10", "From 20 to 512."},
		{"a long arena", []step{{"Minutes", []string{"999"}}}, "Minutes", "999", "From 10 to 720."},
		{"a filler beyond", []step{{"Computer players", []string{"17"}}}, "Computer players", "up to 17 players", "From 0 to 16."},
		{"an option", []step{{"Board size", []string{"99"}}}, "Board size", "99", "Board size can't be 99."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inClub(t, old, ui.Config{}, func(s *uitest.Session, events *recorded) {
				s.Keys("n")
				for _, st := range tt.steps {
					to(s, st.label)
					s.Keys(st.keys...)
				}
				to(s, "Open to")
				if tt.name == "one game" { // it is about all games
					s.Sees(tt.sees)
				} else {
					s.Sees(tt.field + ": " + tt.sees)
				}
				bells := s.Bells
				s.Keys("enter")
				s.Pass(time.Second)
				if len(events.announced) > 0 {
					t.Fatalf("announced %+v", events.announced)
				}
				s.OnScreen("eventspage.announceForm")
				s.Sees(tt.sees)
				s.Misses(tt.field + ": ")
				if s.Bells != bells+1 {
					t.Errorf("the bell rang %d times, want 1", s.Bells-bells)
				}
				checkMarked(s, tt.field, tt.value)
			})
		})
	}
}

// checkMarked fails the test unless the cursor is on a field, whose value is marked as a mistake.
func checkMarked(s *uitest.Session, label, value string) {
	s.T.Helper()
	for y, line := range strings.Split(s.Page(), "\n") {
		if !strings.HasPrefix(line, " > "+label) {
			continue
		}
		at := strings.LastIndex(line, value)
		if at < 0 {
			s.T.Errorf("the line of %s is %q, want %q in it", label, line, value)
		} else if style := s.Canvas().At(text.Width(line[:at]), y).Style(); style.Attrs&canvas.Underline == 0 {
			s.T.Errorf("the value in %q is not marked", line)
		}
		return
	}
	s.T.Errorf("the cursor is not on %s:\n%s", label, s.Page())
}

// TestRefusalStandsInTheForm: what the club refuses is said in the form, which keeps what was chosen until something is changed.
func TestRefusalStandsInTheForm(t *testing.T) {
	inClub(t, old, ui.Config{}, func(s *uitest.Session, events *recorded) {
		s.Keys("n")
		to(s, "Name")
		s.Keys("Tea at five")
		if _, err := events.Announcer.Announce(s.T.Context(), s.App.Env().Who, tournaments.Spec{
			Kind: tournamentstore.Arena, Games: []tournaments.Game{{ID: "tanks"}}, Name: "Another", Clock: clockOf("5+3"), Begins: time.Now().Add(time.Hour),
		}); err != nil {
			t.Fatal(err)
		}
		s.Keys("enter")
		s.Pass(time.Second)
		s.OnScreen("eventspage.announceForm")
		s.Sees("Tea at five", "An event that you have announced is still open")
		s.Keys("x")
		s.Misses("is still open")
		s.Sees("Tea at fivex")
		s.Keys("esc")
		s.Pass(time.Second)
		s.Keys("n")
		s.Pass(time.Second)
		s.OnScreen("eventspage.eventList") // and from now on it is said at once
		s.Sees("An event that you have announced is still open")
	})
}

// TestRefusalLeadsToItsField: a refusal of the club that is about a field has the cursor there.
func TestRefusalLeadsToItsField(t *testing.T) {
	for _, tt := range []struct {
		err          error
		steps        []step
		field, value string
		sees         string
	}{
		{&names.Error{Problem: names.Scripts}, []step{{"Name", []string{"Tea at five"}}}, "Name", "Tea at five", "This name mixes letters of different scripts."},
		{lobby.ErrTournamentTime, []step{{"Begins", []string{"left"}}}, "Date and time", "2000-01-09 20:00 UTC", "An event begins at least a minute"},
		{lobby.ErrRatedTournament, nil, "The event is", "casual", "Only a public event without computer players"},
		{lobby.ErrNoSuchLevel, []step{{"Computer players", []string{"right"}}}, "Which one", "Random (bot)", "There is no such computer player here."},
	} {
		t.Run(tt.err.Error(), func(t *testing.T) {
			inClub(t, old, ui.Config{}, func(s *uitest.Session, events *recorded) {
				events.refuses = tt.err
				s.Keys("n")
				for _, st := range tt.steps {
					to(s, st.label)
					s.Keys(st.keys...)
				}
				to(s, "Kind")
				s.Keys("enter")
				s.Pass(time.Second)
				s.Sees(tt.sees)
				checkMarked(s, tt.field, tt.value)
			})
		})
	}
}

// TestWhoMayNotAnnounce: guests and young accounts are told so at once, operators may with an account of any age.
func TestWhoMayNotAnnounce(t *testing.T) {
	inClub(t, old, ui.Config{Who: uitest.Guest}, func(s *uitest.Session, _ *recorded) {
		s.Keys("n")
		s.OnScreen("eventspage.eventList")
		s.Sees("This needs a key.")
	})
	inClub(t, old-time.Hour, ui.Config{}, func(s *uitest.Session, _ *recorded) {
		s.Keys("n")
		s.OnScreen("eventspage.eventList")
		s.Sees("An account announces events from its eighth day on.")
	})
	inClub(t, 0, ui.Config{Operator: anOperator{}}, func(s *uitest.Session, events *recorded) {
		s.Keys("n", "enter")
		s.Pass(time.Second)
		s.OnScreen("eventspage.eventPage")
		if len(events.announced) != 1 || !events.announced[0].ByOperator {
			t.Errorf("announced %+v", events.announced)
		}
	})
}

// TestSeriesByTheForm: an operator makes a series, which needs a time of the week in a zone with a name.
func TestSeriesByTheForm(t *testing.T) {
	inClub(t, 0, ui.Config{Operator: anOperator{}}, func(s *uitest.Session, events *recorded) {
		s.Keys("n")
		s.Misses("It takes place")
		to(s, "Begins")
		s.Keys("left")
		to(s, "It takes place")
		s.Keys("right")
		to(s, "Date and time")
		s.Keys("end", "ctrl+u", "2000-01-07T20:00:00Z", "enter")
		s.Pass(time.Second)
		s.Sees("A series needs the name of a time zone")
		s.Keys("ctrl+u", "2000-01-07 20:00 Europe/Berlin", "enter")
		s.Pass(time.Second)
		s.Sees("Momentum arena is announced every week from now on.", "enter back")
		s.Keys("enter")
		s.OnScreen("eventspage.eventList")
		want := []tournaments.Weekly{{Day: time.Friday, Hour: 20, Zone: "Europe/Berlin"}}
		if diff := cmp.Diff(want, events.weekly); diff != "" {
			t.Errorf("series (-want +got):\n%s", diff)
		}
	})
	inClub(t, old, ui.Config{}, func(s *uitest.Session, _ *recorded) {
		s.Keys("n")
		to(s, "Begins")
		s.Keys("left")
		s.Misses("It takes place") // it is for operators
	})
}

// TestCallOffOnScreen: the announcer of an event that is open calls it off, after a question; others can't.
func TestCallOffOnScreen(t *testing.T) {
	inClub(t, old, ui.Config{}, func(s *uitest.Session, events *recorded) {
		s.Keys("n", "enter")
		s.Pass(time.Second)
		s.Sees("Others enter with: ssh HOST event join", "o call it off")
		s.Keys("o", "x")
		s.Pass(time.Second)
		s.Sees("It begins", "o call it off")
		s.Keys("o")
		s.Sees("Call off this event?")
		s.Keys("enter")
		s.Pass(time.Second)
		s.Sees("Momentum arena is called off.", "Called off.")
		s.Misses("o call it off")
	})
	synctest.Test(t, func(t *testing.T) {
		services := uitest.FullLobby().Services()
		services.Events.Reader = someEvents(t)
		s := apptest.Begin(t, 80, 24, ui.Config{Lobby: services, Who: uitest.Ana, Pages: apptest.Home(uitest.HomeItem{Words: "Events", Open: func(e *screen.Env) screen.Screen {
			return NewEvent(e, tournaments.Ref{ID: "later", Code: "K7QM2X"})
		}})})
		s.GoTo("Events")
		s.Sees("The long name of a knockout")
		s.Keys("o")
		s.Misses("call it off", "Call off", "Others enter with")
	})
}

// TestFormClocks: the club takes each kind of event with each clock that the form has for it.
func TestFormClocks(t *testing.T) {
	inClub(t, old, ui.Config{}, func(s *uitest.Session, events *recorded) {
		a := newAnnouncement(s.App.Env())
		for a.kind = range kinds {
			for a.clock = range a.clocksOf() {
				spec := a.spec(time.Now())
				if want := a.clocksOf()[a.clock]; spec.Clock.String() != want {
					t.Errorf("the clock %s is %s", want, spec.Clock)
				}
				if _, err := events.Announcer.(*tournaments.Announcer).Plan(spec); err != nil {
					t.Errorf("%v with %s: %v", a.kindOf(), spec.Clock, err)
				}
			}
		}
	})
}

// TestTimeInChosenZone: a time without a zone is one in the zone in which the player reads times, and the form begins with an evening there.
func TestTimeInChosenZone(t *testing.T) {
	inClub(t, old, ui.Config{}, func(s *uitest.Session, _ *recorded) {
		e := *s.App.Env()
		for zone, want := range map[string]string{"": "2030-07-04T20:00:00Z", "Europe/Lisbon": "2030-07-04T19:00:00Z", "gone": "2030-07-04T20:00:00Z"} {
			e.Settings.Zone = zone
			a := newAnnouncement(&e)
			a.begins = slices.Index(begins, 0)
			if m, ok := a.startsAt(e.Now()); !ok || m.At.Hour() != 20 {
				t.Errorf("in %q it begins with %v, %v", zone, m.At, ok)
			}
			a.form = a.form.Write(keyTime, "2030-07-04 20:00")
			if m, ok := a.startsAt(e.Now()); !ok || m.At.UTC().Format(time.RFC3339) != want {
				t.Errorf("in %q it is %v, %v; want %s", zone, m.At, ok, want)
			}
		}
	})
}

// TestAnnounceByMouse: a click moves the cursor, one on the value under it changes it, and one on the button announces the event. A paste goes into the text
// under the cursor.
func TestAnnounceByMouse(t *testing.T) {
	inClub(t, old, ui.Config{}, func(s *uitest.Session, events *recorded) {
		s.Keys("n")
		s.Click("Minutes")
		s.Sees(" > Minutes", "‹ 60 ›")
		s.Click("›")
		s.Sees("‹ 90 ›")
		s.Click("‹")
		s.Click("‹")
		s.Sees("‹ 45 ›")
		s.Send(tea.PasteMsg{Content: "Tea"}) // no text is under the cursor
		s.Misses("Tea")
		s.Click("Name")
		s.Send(tea.PasteMsg{Content: "Tea at five"})
		s.Sees(" > Name", "Tea at five")
		s.Click("[ Announce the event ]")
		s.Pass(time.Second)
		s.OnScreen("eventspage.eventPage")
		if len(events.announced) != 1 || events.announced[0].Span != 45*time.Minute || events.announced[0].Name != "Tea at five" {
			t.Errorf("announced %+v", events.announced)
		}
	})
}

// TestAnnounceFormPictures keeps the form in windows of several sizes, in ASCII, and in the languages with the widest words.
func TestAnnounceFormPictures(t *testing.T) {
	for _, tt := range []struct {
		name  string
		w, h  int
		lang  string
		steps []string
	}{
		{"form-80x24", 80, 24, "LC_ALL=en_GB.UTF-8", nil},
		{"form-40x20", 40, 20, "LC_ALL=en_GB.UTF-8", nil},
		{"ascii/form-80x24", 80, 24, "LC_ALL=en_GB.ISO-8859-1", nil},
		{"form-bad-40x20", 40, 20, "LC_ALL=en_GB.UTF-8", []string{"tab", "tab", "tab", "9", "9", "9"}},
		{"form-medley-80x24", 80, 24, "LC_ALL=en_GB.UTF-8", times(4, "right")},
		{"form-help-80x24", 80, 24, "LC_ALL=en_GB.UTF-8", []string{"?"}},
		{"de/form-40x20", 40, 20, "LC_ALL=de_DE.UTF-8", times(3, "tab")},
		{"de/form-80x24", 80, 24, "LC_ALL=de_DE.UTF-8", times(2, "right")},
		{"pt/form-40x20", 40, 20, "LC_ALL=pt_PT.UTF-8", times(8, "tab")},
		{"pt/form-80x24", 80, 24, "LC_ALL=pt_PT.UTF-8", times(5, "right")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inClub(t, old, ui.Config{Environ: []string{tt.lang}}, func(s *uitest.Session, _ *recorded) {
				s.Send(tea.WindowSizeMsg{Width: tt.w, Height: tt.h})
				s.Keys("n")
				s.Keys(tt.steps...)
				uitest.Golden(t, tt.name, s.Page())
				if strings.HasPrefix(tt.name, "ascii/") {
					for _, r := range s.Page() {
						if r > '~' {
							t.Errorf("%q is not ASCII", r)
						}
					}
				}
			})
		})
	}
}

// TestFormInEveryWindow: the cursor is seen on every field of every kind, in the smallest window and in others, and the button stays.
func TestFormInEveryWindow(t *testing.T) {
	for _, size := range [][2]int{{40, 20}, {80, 24}, {200, 50}} {
		inClub(t, old, ui.Config{}, func(s *uitest.Session, _ *recorded) {
			s.Send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			s.Keys("n")
			for kind := range kinds {
				s.Keys("home")
				form := s.App.Top().(announceForm)
				if form.kind != kind {
					t.Fatalf("the form is of %v, want %v", form.kindOf(), kinds[kind])
				}
				for _, f := range form.fields() {
					page := s.Page()
					if strings.Count(page, "\n > ") != 1 || !strings.Contains(page, "[ Announce the event ]") {
						t.Fatalf("%v in %v:\n%s", kinds[kind], size, page)
					}
					if at := s.App.Top().(announceForm).form.At(); at != f.Key {
						t.Fatalf("%v in %v: the cursor is on %s, want %s", kinds[kind], size, at, f.Key)
					}
					s.Keys("tab")
				}
				s.Keys("home", "right")
			}
		})
	}
}

// TestAnyAnnouncement sends keys, clicks and sizes to the form: the cursor stays among its fields, and nothing panics.
func TestAnyAnnouncement(t *testing.T) {
	env := &screen.Env{Ctx: t.Context(), Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Theme: widget.NewTheme(widget.ThemePlain, colorprofile.NoTTY, false),
		Operator: anOperator{}, Now: func() time.Time { return uitest.Noon }}
	rapid.Check(t, func(t *rapid.T) {
		uitest.AnyForm(t, newAnnounceForm(env), func(s screen.Screen) (at string, fields []widget.Field) {
			return s.(announceForm).form.At(), s.(announceForm).fields()
		})
	})
}
