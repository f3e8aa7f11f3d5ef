package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/command/reply"
	"ludoteca/storage"
)

// longestFollow is how long a command follows the offers.
const longestFollow = 24 * time.Hour

// followOffers prints the offers that the caller can take, and each new one as it comes. For scripts, a second line about an offer says that it is
// gone. It ends after longestFollow. A player follows the offers once at a time, and an address four times, as with wait.
func followOffers(c *call) reply.Reply {
	return func(yield func(reply.Part, error) bool) {
		r, end, err := newOfferReader(c)
		if err != nil {
			yield(reply.Part{}, err)
			return
		}
		defer end()
		c.neverIdle()
		ctx, cancel := context.WithTimeout(c.ctx, longestFollow)
		defer cancel()
		for seq := uint64(0); ; {
			var now *lists.Lists
			wait := func() (err error) {
				if now, err = c.lobby().Lists.Next(ctx, r.who, seq); errors.Is(err, context.DeadlineExceeded) && c.ctx.Err() == nil {
					return nil
				}
				return err
			}
			if !yield(reply.Part{Wait: wait}, nil) || now == nil {
				return
			}
			rows := r.news(now)
			if seq == 0 && len(rows) == 0 {
				rows = append(rows, reply.ForPeople(c.say.T("There are no open offers.")))
			}
			if seq = now.Seq; len(rows) > 0 && !yield(reply.Part{Rows: rows, Table: true}, nil) {
				return
			}
		}
	}
}

type offerJSON struct {
	Code          string               `json:"code" help:"the code of the match, for join"`
	ID            storage.MatchID      `json:"id" help:"the id of the match, which never changes"`
	Game          string               `json:"game" help:"the id of the game"`
	Options       games.Options        `json:"options" help:"the value of each option of the game, by its key"`
	Clock         string               `json:"clock" help:"none, minutes and seconds a move such as 5+3, or days a move such as 3d"`
	Rated         bool                 `json:"rated" help:"whether the match would count for ratings"`
	Side          string               `json:"side" help:"the side that you would play: first or second"`
	By            string               `json:"by" help:"the name of the player who offers it"`
	ByKind        storage.OccupantKind `json:"by_kind" help:"what that player is: player, guest, bot or engine"`
	Rating        *float64             `json:"rating" help:"that player's rating at the game, in points; null: none"`
	Provisional   bool                 `json:"provisional" help:"whether that rating is still uncertain"`
	Range         *[2]int              `json:"range" help:"the lowest and the highest rating of players who may take it; null: any"`
	FinishedShare *float64             `json:"finished_share" help:"the share of begun matches that the player has finished, from 0 to 1; null: none has begun"`
	To            *string              `json:"to" help:"the only player who may take it; null: all may"`
	Since         *string              `json:"since" help:"when it was offered"`
	Until         *string              `json:"until" help:"when it lapses; null: unknown"`
	Stake         *stakeJSON           `json:"stake" help:"what the match would do to your rating; null: nothing"`
	Gone          bool                 `json:"gone" help:"whether nobody can take it any more; true only in the second line about an offer, with --follow"`
}

func describeOffer(c *call, o lists.Offer, who lobby.User) offerJSON {
	j := offerJSON{
		Code: o.Code, ID: o.ID, Game: o.Game, Options: o.Options, Clock: o.Clock.String(), Rated: o.Rated, Side: o.Side.String(),
		By: o.By.Name, ByKind: o.By.Kind, Provisional: o.Strength.Provisional, Since: jsonTime(o.Since),
		Until: jsonTime(o.Until),
	}
	if o.To.Kind != storage.Free {
		j.To = &o.To.Name
	}
	if o.Range != [2]int{} {
		j.Range = &o.Range
	}
	if o.Strength.Known {
		j.Rating = &o.Strength.Rating
	}
	if share, known := o.FinishedShare(); known {
		j.FinishedShare = &share
	}
	if s, err := c.lobby().Seats.OfferStake(c.ctx, who, o.ID); err == nil && s != nil { // unknown if the store fails
		j.Stake = &stakeJSON{s.Win, s.Draw, s.Loss}
	}
	return j
}

// wantedGame returns the id of the game that the caller has named; "" for all.
func (c *call) wantedGame() (id string, err error) {
	if len(c.words) == 0 {
		return "", nil
	}
	g, err := c.game(c.words[0])
	if err != nil {
		return "", err
	}
	return g.About().ID, nil
}

func offerRow(c *call, o offerJSON) reply.Row {
	return reply.Made(func() string { return offerCells(c, o) }, func() any { return o })
}

func offerCells(c *call, o offerJSON) string {
	by, kind := shownName(c.say, storage.Occupant{Kind: o.ByKind, Name: o.By}), c.say.T("casual")
	if o.Rating != nil {
		by += " " + shownRating(*o.Rating, o.Provisional)
	}
	if o.Rated {
		kind = c.say.T("rated")
	}
	whom := ""
	switch {
	case o.To != nil:
		// Translators: a challenge that only the reader can accept.
		whom = c.say.T("for you")
	case o.Range != nil:
		whom = fmt.Sprintf("%d-%d", o.Range[0], o.Range[1])
	}
	terms := ""
	if o.FinishedShare != nil {
		terms = c.say.FinishesShort(*o.FinishedShare)
	}
	if s := o.Stake; s != nil {
		terms = strings.TrimPrefix(terms+"; "+strings.Join(c.say.Stake(standings.Stake{Win: s.Win, Draw: s.Draw, Loss: s.Loss}), ", "), "; ")
	}
	return strings.Join([]string{o.Code, o.Game, optionWords(c, o.Game, o.Options), by, kind, o.Clock, whom, terms}, "\t")
}

// optionWords says which options of a game are chosen: the name of an option set, or what differs from the defaults.
func optionWords(c *call, game string, o games.Options) string {
	g, err := c.lobby().Game(game)
	if err != nil {
		return o.String()
	}
	if set := g.About().SetOf(o); set != "" {
		return c.say.T(set)
	}
	return strings.Join(g.About().Changed(o), " ")
}

// An offerReader knows which offers its caller has read.
type offerReader struct {
	call *call
	who  lobby.User
	game string // "": all
	open map[storage.MatchID]offerJSON
}

// newOfferReader returns a reader that has read none. It counts until end is called.
func newOfferReader(c *call) (r *offerReader, end func(), err error) {
	r = &offerReader{call: c, open: make(map[storage.MatchID]offerJSON)}
	if r.game, err = c.wantedGame(); err != nil {
		return nil, nil, err
	}
	if r.who, err = c.visitor(); err != nil {
		return nil, nil, err
	}
	end, err = c.runner.offerReaders.Begin(cmp.Or(r.who.ID, c.caller.origin().Person), c.caller.Origin)
	switch {
	case errors.Is(err, gate.ErrWaiting):
		return nil, nil, refusal{codeConflict, c.say.T("You follow the offers in another session already.")}
	case err != nil:
		return nil, nil, refusal{codeBusy, c.say.T("Too many commands wait at your address already.")}
	}
	return r, end, nil
}

// news returns rows about what has changed since the last call: offers that are gone, which only scripts read, and new ones.
func (r *offerReader) news(now *lists.Lists) (rows []reply.Row) {
	listed := make(map[storage.MatchID]bool)
	var fresh []reply.Row
	for _, o := range slices.Concat(now.Yours.Invitations, now.Offers) {
		if r.game != "" && o.Game != r.game {
			continue
		}
		listed[o.ID] = true
		if _, known := r.open[o.ID]; known {
			continue
		}
		j := describeOffer(r.call, o, r.who)
		r.open[o.ID] = j
		fresh = append(fresh, offerRow(r.call, j))
	}
	for id, j := range r.open {
		if listed[id] || r.call.lobby().Lists.IsOffered(r.who, id) { // the lists have room for lists.MaxListed
			continue
		}
		delete(r.open, id)
		j.Gone, j.Stake = true, nil
		rows = append(rows, reply.ForScripts(j))
	}
	return append(rows, fresh...)
}
