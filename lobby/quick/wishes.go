package quick

import (
	"context"
	"slices"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// A Wanted is what a player looks for: a match of one of some games.
type Wanted struct {
	Games []Choice // the first one is preferred; each game once
	Clock clock.Setting
	Class clock.Class // not clock.NoClass: any clock of the class, and Clock says nothing
	Rated bool
}

// A Choice is a game with its options; nil options are the defaults.
type Choice struct {
	Game    string
	Options games.Options
}

// One returns what a player wants who wants the game, the options, the clock and the rating of a spec.
func One(spec seats.Spec) Wanted {
	return Wanted{Games: []Choice{{spec.Game, spec.Options}}, Clock: spec.Clock, Rated: spec.Rated}
}

// Usual returns the spec of a match that one player offers who wants this: of the preferred game, with the usual clock of the class.
func (w Wanted) Usual() seats.Spec {
	spec := seats.Spec{Public: true, Rated: w.Rated, Clock: w.Clock}
	if w.Class != clock.NoClass {
		spec.Clock = w.Class.Usual()
	}
	if len(w.Games) > 0 {
		spec.Game, spec.Options = w.Games[0].Game, w.Games[0].Options
	}
	return spec
}

// wants returns what is wanted as pairing compares it.
func (w Wanted) wants() []pairing.Want {
	all := make([]pairing.Want, len(w.Games))
	for i, g := range w.Games {
		all[i] = pairing.Want{Game: g.Game, Options: g.Options.String(), Class: w.Class, Rated: w.Rated}
		if w.Class == clock.NoClass {
			all[i].Clock = w.Clock
		}
	}
	return all
}

// agrees reports whether a kind of match is one of those that are wanted.
func (w Wanted) agrees(with pairing.Want) bool {
	return slices.ContainsFunc(w.wants(), func(want pairing.Want) bool {
		_, ok := pairing.Agree(want, with)
		return ok
	})
}

// complete returns what a user wants with complete options. It checks that the user may play it. A guest plays casual matches.
func (m *Service) complete(u match.User, w Wanted) (Wanted, error) {
	if u.Kind == storage.Engine {
		return w, refusal.ErrEngine
	}
	if len(w.Games) == 0 || len(w.Games) > pairing.MaxWishes {
		return w, refusal.ErrNoSuchGame
	}
	w.Rated = w.Rated && u.Kind.HasAccount()
	given := w.Games
	w.Games = nil
	for _, g := range given {
		spec := Wanted{Games: []Choice{g}, Clock: w.Clock, Class: w.Class, Rated: w.Rated}.Usual()
		o, err := m.config.Seats.Plan(spec)
		if err != nil {
			return w, err
		}
		if !slices.ContainsFunc(w.Games, func(c Choice) bool { return c.Game == o.Game }) {
			w.Games = append(w.Games, Choice{o.Game, o.Options})
		}
	}
	return w, m.config.Manners.MayMeet(u)
}

// wishes returns what is wanted with the strength of a user.
func (m *Service) wishes(ctx context.Context, u match.User, w Wanted) []pairing.Wish {
	var all []pairing.Wish
	for _, want := range w.wants() {
		st := m.config.Standings.Strength(ctx, u.Occupant(), want.Game).OrNewcomer()
		all = append(all, pairing.Wish{Want: want, Rating: st.Rating, Deviation: st.Deviation})
	}
	return all
}

// rowOf returns a wish as its row has it.
func rowOf(w pairing.Wish) cluster.Wish {
	row := cluster.Wish{
		Game: w.Want.Game, Options: w.Want.Options, Clock: seats.StoredClock(w.Want.Clock), Rated: w.Want.Rated, Rating: w.Rating, Deviation: w.Deviation,
	}
	if w.Want.Class != clock.NoClass {
		row.Clock = string(w.Want.Class)
	}
	return row
}

// wishOf returns the wish of a row; ok is false if another version of the program has written it.
func wishOf(row cluster.Wish) (w pairing.Wish, ok bool) {
	w = pairing.Wish{Want: pairing.Want{Game: row.Game, Options: row.Options, Rated: row.Rated}, Rating: row.Rating, Deviation: row.Deviation}
	if row.Clock == "" {
		return w, true
	}
	if w.Want.Class, ok = clock.ParseClass(row.Clock); ok {
		return w, true
	}
	var err error
	w.Want.Clock, err = clock.Parse(row.Clock)
	return w, err == nil
}

// wishesOf returns the wishes of a row.
func wishesOf(row cluster.Seeker) (all []pairing.Wish) {
	for _, r := range append([]cluster.Wish{row.Wish}, row.More...) {
		if w, ok := wishOf(r); ok {
			all = append(all, w)
		}
	}
	return all
}

// specOf returns the match that a pair is to play.
func (m *Service) specOf(want pairing.Want) (seats.Spec, error) {
	g, ok := games.Find(m.config.Games, want.Game)
	if !ok {
		return seats.Spec{}, refusal.ErrNoSuchGame
	}
	o, err := games.ParseOptions(g, strings.Fields(want.Options))
	return seats.Spec{Game: want.Game, Public: true, Rated: want.Rated, Options: o, Clock: want.Clock}, err
}

// wantOf returns what an offer is for.
func wantOf(s *match.Summary) pairing.Want {
	return pairing.Want{Game: s.Game.About().ID, Options: s.Options.String(), Clock: s.Clock.Setting, Rated: s.Rated}
}

// ParseClock reads a clock as a player writes it: a setting, or a class of them, any of which will do.
func ParseClock(text string) (clock.Setting, clock.Class, error) {
	if c, ok := clock.ParseClass(text); ok {
		return clock.Setting{}, c, nil
	}
	s, err := clock.Parse(text)
	return s, clock.NoClass, err
}
