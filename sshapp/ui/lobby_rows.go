package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// A block is one of the three parts of the lists.
type block uint8

const (
	yourMatches block = iota
	openOffers
	nowPlaying
)

// A row is one line of the lists: a match, or with an empty id a heading or a remark. A long remark has a short one for narrow
// windows in its first cell.
type row struct {
	block   block
	heading bool
	id      storage.MatchID
	waiting bool   // it waits for the player
	seat    bool   // choosing it takes a seat
	gone    bool   // it is no longer there
	sweep   int    // the number of the sweep that takes it then
	game    string // then come the cells, each with its own width
	cells   [3]string
	pair    pair // the two who play, instead of the first cell
}

// rowsOf lays out the lists as rows, with a heading for each block.
func rowsOf(e *env, l listsMsg) []row {
	say := e.say
	const words = 6 // headings and remarks
	rows := make([]row, 0, words+len(l.yours.Invitations)+len(l.yours.Matches)+len(l.lists.Offers)+len(l.lists.Running))
	rows = append(rows, row{block: yourMatches, heading: true, game: say.T("YOUR MATCHES")})
	for _, o := range l.yours.Invitations {
		rows = append(rows, inviteRow(e, o))
	}
	for _, m := range l.yours.Matches {
		rows = append(rows, mineRow(e, m))
	}
	if len(rows) == 1 {
		rows = append(rows, row{block: yourMatches, game: say.T("none yet")})
	}

	rows = append(rows, row{block: openOffers, heading: true, game: say.T("OPEN OFFERS")})
	before := len(rows)
	for _, o := range l.lists.Offers {
		if !e.is(o.By) {
			rows = append(rows, offerRow(e, o))
		}
	}
	switch {
	case len(rows) > before:
	case len(l.lists.Offers) > 0:
		rows = append(rows, row{block: openOffers, game: say.T("none but yours")})
	default:
		rows = append(rows, row{block: openOffers, game: say.T("none: a new match of yours would be the first"),
			cells: [3]string{say.T("none yet")}})
	}

	rows = append(rows, row{block: nowPlaying, heading: true, game: say.T("NOW PLAYING")})
	before = len(rows)
	for _, r := range l.lists.Running {
		if !e.is(r.Seats[0]) && !e.is(r.Seats[1]) {
			rows = append(rows, runningRow(e, r))
		}
	}
	if len(rows) == before {
		rows = append(rows, row{block: nowPlaying, game: say.T("nobody just now")})
	}
	return rows
}

func mineRow(e *env, m lobby.Mine) row {
	say := e.say
	r := row{block: yourMatches, id: m.ID, waiting: m.YourTurn, game: gameName(e, m.Game)}
	switch {
	case m.Both:
		r.cells[0] = say.T("both sides")
	case m.Opponent.Kind == storage.Free:
		r.cells[0] = m.Code
	default:
		r.cells[0] = say.T("vs %s", occupant(e, m.Opponent))
	}
	switch {
	case m.Started.IsZero():
		r.cells[1] = say.T("seat free")
	case m.YourTurn:
		r.cells[1] = say.T("your move")
	default:
		r.cells[1] = say.T("waiting")
	}
	r.cells[2] = age(e, m.LastAt)
	return r
}

func inviteRow(e *env, o lobby.Offer) row {
	say := e.say
	what := say.T("invites you")
	if o.RematchOf != "" {
		what = say.T("rematch?")
	}
	return row{block: yourMatches, id: o.ID, waiting: true, seat: true, game: gameName(e, o.Game),
		cells: [3]string{say.T("vs %s", occupant(e, o.By)), what, age(e, o.Since)}}
}

// age is for how long something has stood there, in the few cells of its column: beside hours there is no room for minutes.
func age(e *env, since time.Time) string {
	d := e.now().Sub(since)
	if d >= time.Hour {
		d = d.Truncate(time.Hour)
	}
	return e.say.Span(d)
}

func offerRow(e *env, o lobby.Offer) row {
	r := row{block: openOffers, id: o.ID, seat: true, game: gameName(e, o.Game)}
	r.cells[0] = gameVariant(e, o.Game, o.Options)
	if o.Ply > 0 {
		r.cells[0] = e.say.T("from move %d", o.Ply)
	}
	r.cells[1] = strong(e, o.By, o.Strength)
	r.cells[2] = casual(e.say, o.Rated)
	return r
}

func runningRow(e *env, g lobby.Running) row {
	return row{block: nowPlaying, id: g.ID, game: gameName(e, g.Game), cells: [3]string{"", "", e.say.T("move %d", g.Ply)},
		pair: pairOf(e, g)}
}

// A pair is the two players of a match, each with his rating and without it.
type pair struct{ strong, names [2]string }

func pairOf(e *env, g lobby.Running) pair {
	var p pair
	for i, o := range g.Seats {
		p.strong[i], p.names[i] = strong(e, o, g.Strength[i]), occupant(e, o)
	}
	return p
}

// in writes the two into so many cells. If there is no room for their ratings, their names have to do; if they don't fit
// either, the longer one is cut, or each to a half.
func (p pair) in(cells int) string {
	const between = " - "
	if words := p.strong[0] + between + p.strong[1]; text.Width(words) <= cells {
		return words
	}
	half := max((cells-len(between))/2, 0)
	first := text.Cut(p.names[0], max(half, cells-len(between)-text.Width(p.names[1])))
	return first + between + text.Cut(p.names[1], max(cells-len(between)-text.Width(first), 0))
}

// merged puts fresh rows in the place of the old ones, and keeps those that are gone, marked so, behind the row that
// they stood behind; it may use the room of the fresh ones. Those that have just gone are for the sweep with that number: in a busy club others go all the time, and
// none of them may wait for the last.
func merged(old, fresh []row, sweep int) (rows []row, anyGone bool) {
	rows = fresh
	at := 0
	for _, o := range old {
		same := func(r row) bool { return r.id == o.id && r.block == o.block && r.heading == o.heading }
		if i := slices.IndexFunc(rows, same); i >= 0 {
			at = i + 1
			continue
		}
		if o.id == "" {
			continue // a remark
		}
		if anyGone = true; !o.gone {
			o.gone, o.waiting, o.sweep = true, false, sweep
		}
		rows = slices.Insert(rows, at, o)
		at++
	}
	return rows, anyGone
}

// swept returns the rows without those that are gone and for a sweep up to that number, except the held one.
func swept(rows []row, sweep int, held storage.MatchID) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.gone && r.sweep <= sweep && r.id != held })
}

// firstMatch is the place of the first row that can be chosen, -1 if there is none.
func firstMatch(rows []row) int {
	return slices.IndexFunc(rows, func(r row) bool { return r.id != "" })
}

// gameName is the short name of a game by its id.
func gameName(e *env, id string) string {
	g, err := e.club.Game(id)
	if err != nil {
		return text.Clean(id)
	}
	return shortName(g)
}

// shortName is the name of a game, or the last word of one that is too long for a column.
func shortName(g games.Game) string {
	name := g.About().Name
	if text.Width(name) > gameCells-1 {
		return name[strings.LastIndexByte(name, ' ')+1:]
	}
	return name
}

// gameVariant says in short with which options a game is played.
func gameVariant(e *env, id string, o games.Options) string {
	g, err := e.club.Game(id)
	if err != nil {
		return ""
	}
	return variant(e.say, g.About(), o)
}

// variant is the size of the board if that is an option, and whatever else is not as usual.
func variant(say text.Say, about *games.About, o games.Options) string {
	var words []string
	cols, ok := o["cols"]
	rows := o["rows"]
	if !ok {
		cols, ok = o["size"]
		rows = cols
	}
	if ok {
		words = append(words, strconv.Itoa(cols)+"x"+strconv.Itoa(rows))
	}
	for _, opt := range about.Options {
		v, given := o[opt.Key]
		if !given || v == opt.Default || opt.Key == "cols" || opt.Key == "rows" || opt.Key == "size" {
			continue
		}
		words = append(words, say.T(opt.Words())+" "+strconv.Itoa(v))
	}
	if len(words) == 0 {
		return say.T("standard")
	}
	return strings.Join(words, ", ")
}

// occupant is who sits in a seat, by name; computer players are marked.
func occupant(e *env, o storage.Occupant) string {
	switch o.Kind {
	case storage.Free:
		return "?"
	case storage.Bot:
		return e.say.T("%s (bot)", text.Clean(o.Name))
	}
	return text.Clean(o.Name)
}

// strong is an occupant with his rating.
func strong(e *env, o storage.Occupant, s lobby.Strength) string {
	name := occupant(e, o)
	if s.Known {
		name += " " + rated(s.Rating, s.Provisional)
	}
	return name
}

// rated writes a rating as a whole number, with a question mark while it is provisional.
func rated(rating float64, provisional bool) string {
	s := strconv.FormatFloat(rating, 'f', 0, 64)
	if provisional {
		s += "?"
	}
	return s
}

func casual(say text.Say, rated bool) string {
	if rated {
		return say.T("rated")
	}
	return say.T("casual")
}
