package command

import (
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// A boardVisit is a session of the line mode: its user is here, at the board of the match that was named last. nil is none.
type boardVisit struct{ visit *presence.Session }

// at records that the user is at the board of a match now.
func (v *boardVisit) at(id storage.MatchID) {
	if v != nil && v.visit != nil {
		v.visit.At(id)
	}
}

// enter makes a user present from now on. It does nothing for the zero User, or if a visit has begun already.
func (v *boardVisit) enter(l *lobby.Lobby, u lobby.User) {
	if v.visit == nil && u.ID != "" {
		v.visit = l.Presence.Visit(u, true)
	}
}

// typed records that the user has typed a line.
func (v *boardVisit) typed() {
	if v.visit != nil {
		v.visit.Pressed()
	}
}

// leave ends the visit.
func (v *boardVisit) leave(who Caller) {
	if v.visit != nil {
		v.visit.Leave(who.dropped())
	}
}

// dropped reports whether the line of the caller died.
func (c Caller) dropped() bool { return c.Dropped != nil && c.Dropped() }

// follows has the caller be at the board of a match until leave is called. A program that follows a match presses no key.
func (c *call) follows(seat *seats.Seat) (leave func()) {
	if seat.User().ID == "" {
		return func() {}
	}
	visit := c.lobby().Presence.Visit(seat.User(), false)
	visit.At(seat.ID())
	return func() { visit.Leave(c.caller.dropped()) }
}

// presenceJSON says how near each side is to the board: here, away or gone.
type presenceJSON struct {
	First  string `json:"first" help:"the first side"`
	Second string `json:"second" help:"the second side"`
}

func presenceOf(v *lobby.View) presenceJSON {
	return presenceJSON{v.Presence[games.First].Near.String(), v.Presence[games.Second].Near.String()}
}

// claimIn returns the number of seconds after which the user may claim a match; nil for never.
func claimIn(c *call, v *lobby.View, who lobby.User) *int {
	at := c.lobby().Seats.ClaimAt(who, v)
	if at.IsZero() {
		return nil
	}
	left := max(time.Until(at), 0)
	return new(int((left + time.Second - 1) / time.Second))
}

// company returns lines about the people at a match: whether the players are at the board, when the caller may claim against one who has
// gone, and who watches.
func company(c *call, v *lobby.View, who lobby.User) (lines []string) {
	if words := c.say.Spectators(v.Spectators, spectatorCells); words != "" {
		defer func() { lines = append(lines, words) }()
	}
	if v.Over || v.Started.IsZero() {
		return nil
	}
	for side, p := range v.Presence {
		o := v.Seats[side]
		if o.Kind == storage.Bot || who.Is(o) {
			continue
		}
		lines = append(lines, c.say.Whereabouts(shownName(c.say, o), p, time.Now()))
	}
	at := c.lobby().Seats.ClaimAt(who, v)
	side, _ := v.Side(who)
	other, name := v.Presence[side.Other()], c.say.Name(v.Seats[side.Other()].Name)
	left := time.Until(at)
	silent := silent(v)
	switch {
	case at.IsZero(), left > 0 && silent:
	case left > 0:
		lines = append(lines, c.say.ComeBack(name, other, left))
	default:
		lines = append(lines, c.say.MayClaim(name, silent)+" "+howToClaim(c.say, v.Code))
	}
	return lines
}

// howToClaim says with which commands a match is claimed.
func howToClaim(say wording.Words, code string) string {
	return say.T("Claim the win or a draw: claim %s win, claim %s draw", code, code)
}

// spectatorCells is the width of the line that names the spectators, in cells.
const spectatorCells = 72

// claim ends a match that the other side has left.
func claim(c *call) (reply.Reply, error) {
	draw := strings.EqualFold(c.words[1], "draw")
	if !draw && !strings.EqualFold(c.words[1], "win") {
		return nil, usageError{words: c.say.T("What do you claim: win, or draw?")}
	}
	return act(c, func(seat *seats.Seat, _ *lobby.View) error { return seat.Claim(c.ctx, draw) })
}

// A whoJSON describes a user who is here.
type whoJSON struct {
	Name        string               `json:"name" help:"the name"`
	Kind        storage.OccupantKind `json:"kind" help:"player, guest, bot or engine"`
	Followed    bool                 `json:"followed" help:"whether you follow the player"` // by the caller
	Doing       string               `json:"doing" help:"lobby, playing, watching or away"` // lobby, playing, watching or away
	Game        *string              `json:"game" help:"the id of the game"`                // of the public match that they play or watch, else the one they have played most rated; null for none
	Rating      *float64             `json:"rating" help:"the rating"`                      // in it; null if there is none
	Provisional bool                 `json:"provisional" help:"whether the rating is still uncertain"`
	Match       *storage.MatchID     `json:"match" help:"the id of the match"` // the public match; null for none
	Since       *string              `json:"since" help:"since when"`
}

// who lists who is here.
func who(c *call) (reply.Reply, error) {
	return reply.Later(func() (reply.Part, error) {
		caller, err := c.visitor()
		if err != nil {
			return reply.Part{}, err
		}
		list := c.lobby().People.Who(c.ctx, caller)
		rows := []reply.Row{reply.ForPeople(c.say.T("Players here: %d", list.Count))}
		for _, p := range list.Here {
			rows = append(rows, reply.Made(func() string { return whoCells(c, p) }, func() any { return whoOf(p) }))
		}
		return reply.Part{Rows: rows, Table: true}, nil
	}), nil
}

func whoOf(p lists.Present) whoJSON {
	j := whoJSON{Name: p.Name, Kind: p.Kind, Doing: p.Doing, Followed: p.Followed, Since: jsonTime(p.Since), Provisional: p.Strength.Provisional}
	if p.Game != "" {
		j.Game = &p.Game
	}
	if p.Strength.Known {
		j.Rating = &p.Strength.Rating
	}
	if p.Match != "" {
		j.Match = &p.Match
	}
	return j
}

func whoCells(c *call, p lists.Present) string {
	rating, game := "", ""
	if p.Strength.Known {
		game, rating = gameName(c, p.Game), shownRating(p.Strength.Rating, p.Strength.Provisional)
	}
	mark := "  "
	if p.Followed {
		mark = "* "
	}
	return strings.Join([]string{mark + c.say.Name(p.Name), game, rating, c.say.Doing(p, gameName(c, p.Game), time.Now())}, "\t")
}

// gameName returns the name of a game that there is.
func gameName(c *call, id string) string {
	if g, err := c.lobby().Game(id); err == nil {
		return g.About().Name
	}
	return text.Clean(id)
}
