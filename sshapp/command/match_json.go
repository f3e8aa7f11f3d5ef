package command

import (
	"cmp"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/sshapp/command/reply"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// matchJSON is a match at one moment, as show and watch print it.
type matchJSON struct {
	ID       storage.MatchID `json:"id" help:"the id of the match, which never changes"`
	Code     string          `json:"code" help:"the code of the match, for other commands; \"\": it has none any more"`
	Game     string          `json:"game" help:"the id of the game"`
	Options  games.Options   `json:"options" help:"the value of each option of the game, by its key"`
	First    string          `json:"first" help:"the name of the player on the first side; \"\" while the seat is free"`
	Second   string          `json:"second" help:"the name of the player on the second side; \"\" while the seat is free"`
	Ply      int             `json:"ply" help:"how many moves have been made"`
	Moves    []games.Move    `json:"moves" help:"all moves so far, in the form that move takes"`
	Board    []string        `json:"board" help:"the board, one text a row"`
	Turn     string          `json:"turn" help:"the side to move, first or second; \"\" when the match is over"`
	Legal    []games.Move    `json:"legal" help:"the moves that are legal now; none when the match is over"`
	Result   string          `json:"result" help:"first, second or draw; \"\" while the match is open, or for a match without a result"`
	Reason   string          `json:"reason" help:"why the match ended; \"\" while it is open"`
	Rated    bool            `json:"rated" help:"whether the match counts for ratings"`
	Clock    clockJSON       `json:"clock" help:"the clock, and the time that is left"`
	Offer    *matchOfferJSON `json:"offer" help:"the newest open offer of one side to the other; null: none"`
	Offers   []openOfferJSON `json:"offers" help:"all open offers, the oldest first"`
	Position string          `json:"position" help:"the position in one line, as new --from takes it"`

	Presence   presenceJSON `json:"presence" help:"whether the players are at the board"`
	ClaimIn    *int         `json:"claim_in_s" help:"after how many seconds you may claim the match, 0 for now; null: never"`
	Spectators int          `json:"spectators" help:"how many users watch"`
	Watching   []string     `json:"watching" help:"the names of the first spectators"`
	Stake      *stakeJSON   `json:"stake" help:"what the match would do to your rating; null: nothing"`
	aidJSON
	kindsJSON
}

// stakeJSON is by how much the rating of a player would change if the match ended now, in points.
type stakeJSON struct {
	Win  float64 `json:"win" help:"by how many points a win would change your rating"`
	Draw float64 `json:"draw" help:"by how many points a draw would change it"`
	Loss float64 `json:"loss" help:"by how many points a loss would change it"`
}

// clockJSON is the clock of a match at one moment.
type clockJSON struct {
	Kind      string `json:"kind" help:"none, fischer for minutes and seconds a move, or correspondence for days a move"`
	Base      int    `json:"base_s" help:"seconds for each side, or for each move of a correspondence clock"`
	Increment int    `json:"increment_s" help:"seconds that each move adds"`
	First     *int64 `json:"first_ms" help:"milliseconds left to the first side; null: there is no clock"`
	Second    *int64 `json:"second_ms" help:"milliseconds left to the second side; null: there is no clock"`
	Running   string `json:"running" help:"the side whose clock runs; \"\" for neither"`

	Pauses []pauseJSON `json:"pauses" help:"why the clock stands now; none: it does not"`
}

// clockOf returns the clock of a match as it is now.
func clockOf(v *lobby.View) clockJSON {
	set := v.Clock.Setting
	j := clockJSON{Kind: set.Kind.String(), Base: int(set.Base / time.Second), Increment: int(set.Increment / time.Second), Pauses: []pauseJSON{}}
	if set.Kind == lobby.NoClock {
		return j
	}
	now := time.Now()
	j.First, j.Second = new(v.Clock.LeftAt(0, now).Milliseconds()), new(v.Clock.LeftAt(1, now).Milliseconds())
	j.Pauses = pausesOf(v, now)
	if v.Clock.Running() && !v.Clock.StandsAt(now) {
		j.Running = v.Turn.String()
	}
	return j
}

// A pauseJSON is a reason for which the clock of a match stands.
type pauseJSON struct {
	Kind  match.PauseKind `json:"kind" help:"vacation of a player, or adjourned: by both, or while a practice match waits for its player"`
	Side  string          `json:"side" help:"the side whose player is on vacation, first or second; \"\" for neither"`
	Until *string         `json:"until" help:"when it ends"`
}

// pausesOf returns why the clock of a match stands.
func pausesOf(v *lobby.View, now time.Time) []pauseJSON {
	all := []pauseJSON{}
	for _, p := range v.Pauses.At(now) {
		j := pauseJSON{Kind: p.Kind, Until: jsonTime(p.Until)}
		if p.Kind == match.OnVacation {
			j.Side = p.By.Side().String()
		}
		all = append(all, j)
	}
	return all
}

// presenceJSON says how near each side is to the board: here, away or gone.
type presenceJSON struct {
	First  string `json:"first" help:"where the first side is: here (at the board), away or gone"`
	Second string `json:"second" help:"where the second side is: here (at the board), away or gone"`
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

// matchOfferJSON is what one side of a match offers the other.
type matchOfferJSON struct {
	Kind string `json:"kind" help:"what is offered: draw, takeback, adjourn or rematch"`
	By   string `json:"by" help:"the name of the player who offers it"`
	Side string `json:"side" help:"the side of that player: first or second"`
}

// matchOffer returns the newest offer of one side of a match to the other; nil for none.
func matchOffer(v *lobby.View) *matchOfferJSON {
	open := v.OpenOffers()
	if len(open) == 0 || open[0].Kind == lobby.OfferChallenge {
		return nil
	}
	o := open[len(open)-1]
	return &matchOfferJSON{o.Kind, offerer(v, o).Name, o.By.String()}
}

// openOfferJSON is an offer that waits for an answer.
type openOfferJSON struct {
	Number uint64  `json:"number" help:"the number of the offer, for --number of accept and decline"`
	Kind   string  `json:"kind" help:"what is offered: draw, takeback, adjourn, rematch or challenge"`
	By     string  `json:"by" help:"the name of the player who offers it"`
	At     *string `json:"at" help:"when it was offered"`
}

// openOffers returns all open offers of a match, the oldest first.
func openOffers(v *lobby.View) []openOfferJSON {
	all := []openOfferJSON{}
	for _, o := range v.OpenOffers() {
		all = append(all, openOfferJSON{o.Number, o.Kind, offerer(v, o).Name, jsonTime(o.At)})
	}
	return all
}

// offerer returns the player who makes an offer, under their current name.
func offerer(v *lobby.View, o lobby.OpenOffer) storage.Occupant {
	if o.Kind == lobby.OfferRematch {
		return v.Rematch.By
	}
	return v.Seats[o.By]
}

func describe(c *call, v *lobby.View, who lobby.User) matchJSON {
	m := matchJSON{
		ID: v.ID, Code: v.Code, Game: v.Game.About().ID, Options: v.Options,
		First: v.Seats[games.First].Name, Second: v.Seats[games.Second].Name,
		Ply: v.Ply(), Moves: v.Moves, Result: v.Result, Reason: v.Reason, Rated: v.Rated, Clock: clockOf(v),
		Presence: presenceOf(v), ClaimIn: claimIn(c, v, who), Spectators: v.Spectators.Count,
		aidJSON: aid(v.From, v.Start, v.Helped), kindsJSON: kindsJSON{v.Seats[games.First].Kind, v.Seats[games.Second].Kind},
	}
	m.Watching = make([]string, 0, len(v.Spectators.Names))
	for _, o := range v.Spectators.Names {
		m.Watching = append(m.Watching, o.Name)
	}
	if m.Moves == nil {
		m.Moves = []games.Move{}
	}
	m.Offer, m.Offers = matchOffer(v), openOffers(v)
	if s, err := c.stakeOf(v, who); err == nil && s != nil { // unknown if the store fails
		m.Stake = &stakeJSON{s.Win, s.Draw, s.Loss}
	}
	m.stand(v.Position, v.Over)
	return m
}

// stand fills in what follows from the position.
func (m *matchJSON) stand(p games.Position, over bool) {
	m.Board, m.Position, m.Turn, m.Legal = p.Rows(), p.String(), "", []games.Move{}
	if !over {
		m.Turn = p.Turn().String()
		m.Legal = append(m.Legal, p.Legal()...)
	}
}

// changes returns a line for every visible change from one view to the next: a player joins, moves are taken back, a move is made. The last
// line is the newer view itself. The lines that a slow reader has missed are derived from the moves of both views, so a move that was made
// and taken back in between is not shown.
func changes(c *call, old, v *lobby.View, who lobby.User) (lines []any, err error) {
	line, pos := describe(c, old, who), old.Position
	waiting := false // line has changed and is not among lines: it may be the last
	add := func() {
		if waiting {
			next := line
			next.Moves = slices.Clone(line.Moves) // it grows and shrinks here
			next.stand(pos, false)
			lines, waiting = append(lines, next), false
		}
	}
	if old.Started.IsZero() && !v.Started.IsZero() {
		line.First, line.Second = v.Seats[games.First].Name, v.Seats[games.Second].Name
		line.FirstKind, line.SecondKind = v.Seats[games.First].Kind, v.Seats[games.Second].Kind
		waiting = true
	}
	common := 0
	for common < min(old.Ply(), v.Ply()) && old.Moves[common] == v.Moves[common] {
		common++
	}
	if common < old.Ply() {
		add()
		line.Offer, line.Offers = nil, []openOfferJSON{}
		line.Ply, line.Moves, line.aidJSON = common, slices.Clone(v.Moves[:common]), aid(v.From, v.Start, v.Helped)
		if pos, err = v.After(common); err != nil {
			return nil, err
		}
		waiting = true
	}
	for _, m := range v.Moves[common:] {
		add()
		if pos, err = pos.Play(m); err != nil {
			return nil, err
		}
		line.Ply, line.Moves, line.Offer, line.Offers = line.Ply+1, append(slices.Clip(line.Moves), m), nil, []openOfferJSON{}
		waiting = true
	}
	if v.Over && !pos.Result().Over && v.Reason != "length_limit" { // else the last move and the end are one change
		add()
	}
	return append(lines, describe(c, v, who)), nil
}

// forScripts is a part of lines for scripts.
func forScripts(lines []any) (p reply.Part) {
	for _, line := range lines {
		p.Rows = append(p.Rows, reply.ForScripts(line))
	}
	return p
}

// historyJSON is one match in a list.
type historyJSON struct {
	ID      storage.MatchID `json:"id" help:"the id of the match, which never changes"`
	Game    string          `json:"game" help:"the id of the game"`
	Options games.Options   `json:"options" help:"the value of each option of the game, by its key"`
	First   string          `json:"first" help:"the name of the player on the first side; \"\" while the seat is free"`
	Second  string          `json:"second" help:"the name of the player on the second side; \"\" while the seat is free"`
	Result  string          `json:"result" help:"first, second or draw; \"\" while the match is open, or for a match without a result"`
	Reason  string          `json:"reason" help:"why the match ended; \"\" while it is open"`
	Plies   int             `json:"plies" help:"how many moves were made"`
	Rated   bool            `json:"rated" help:"whether the match counts for ratings"`
	Clock   string          `json:"clock" help:"none, minutes and seconds a move such as 5+3, or days a move such as 3d"`
	Started *string         `json:"started" help:"when the match began; null: not yet"`
	Ended   *string         `json:"ended" help:"when the match ended; null: not yet"`
	countJSON
	aidJSON
	kindsJSON
}

// kindsJSON says what sits on each side: player, guest or bot; "" while the seat is free.
type kindsJSON struct {
	FirstKind  storage.OccupantKind `json:"first_kind" help:"what sits on the first side: player, guest, bot or engine; \"\" while the seat is free"`
	SecondKind storage.OccupantKind `json:"second_kind" help:"what sits on the second side: player, guest, bot or engine; \"\" while the seat is free"`
}

// countJSON says how much a match counted for ratings.
type countJSON struct {
	Counted  bool        `json:"counted" help:"whether the match has counted for ratings at all"`
	Weight   *weightJSON `json:"weight" help:"how much the match has counted for each player; null: it was not rated, or is not over"`
	Discount *reasonJSON `json:"discount" help:"why it has counted less than fully for each player; null as above"`
}

type weightJSON struct {
	First  float64 `json:"first" help:"how much it has counted for the first side, from 0 to 1"`
	Second float64 `json:"second" help:"how much it has counted for the second side, from 0 to 1"`
}

type reasonJSON struct {
	First  results.Discount `json:"first" help:"for the first side: repeated, new_account, daily_limit, same_moves, unsettled, dependent, unproven or unrated; \"\": it counted fully"`
	Second results.Discount `json:"second" help:"for the second side: repeated, new_account, daily_limit, same_moves, unsettled, dependent, unproven or unrated; \"\": it counted fully"`
}

func count(changes *[2]results.RatingChange) countJSON {
	if changes == nil {
		return countJSON{}
	}
	first, second := changes[0], changes[1]
	return countJSON{first.Weight > 0, &weightJSON{first.Weight, second.Weight}, &reasonJSON{first.Why, second.Why}}
}

// aidJSON says where a match began, and what help was taken in it.
type aidJSON struct {
	From      string `json:"from" help:"the position that the match began from; \"\" for the start of the game"`
	Start     int    `json:"start" help:"how many of the moves were there when the match began"`
	Helped    bool   `json:"helped" help:"whether hints or takebacks were used"`
	Hints     int    `json:"hints" help:"how many hints were used"`
	Takebacks int    `json:"takebacks" help:"how many takebacks were used"`
}

func aid(from string, start int, h results.Help) aidJSON {
	return aidJSON{from, start, h != results.Help{}, h.Hints, h.Takebacks}
}

func finished(f results.Finished) historyJSON {
	return historyJSON{
		ID: f.ID, Game: f.Game, Options: f.Options, First: f.First.Name, Second: f.Second.Name, Result: f.Result,
		Reason: f.Reason, Plies: f.Plies, Rated: f.Rated, Clock: cmp.Or(f.Clock, "none"), Started: jsonTime(f.Started), Ended: jsonTime(f.Ended),
		countJSON: count(f.Ratings), aidJSON: aid(f.From, f.Start, f.Helped), kindsJSON: kindsJSON{f.First.Kind, f.Second.Kind},
	}
}
