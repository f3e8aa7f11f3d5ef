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
	blocks = iota
)

// A notice is what a line of the lists says: of a match, or with an empty id a heading or a remark. A long remark has a short
// one for narrow windows in its first cell. Notices are never changed: sessions share those of what everybody sees.
type notice struct {
	block   block
	heading bool
	id      storage.MatchID
	waiting bool                // it waits for the player
	seat    bool                // choosing it takes a seat
	who     [2]storage.Occupant // to whom it isn't shown there: he has it among his own
	game    string              // then come the cells, each with its own width
	cells   [3]string
	pair    pair // the two who play, instead of the first cell
}

// A row is one line of the lists as one session sees it.
type row struct {
	*notice
	gone  bool // it is no longer there
	sweep int  // the number of the sweep that takes it then
}

// posters are what the lists say to everybody in one language.
type posters struct {
	yours, noneYours              *notice // headings, and what stands below one with nothing else
	offers, noneOffers, onlyYours *notice
	running, noneRunning          *notice
	open, playing                 []*notice
}

// postersOf returns the posters of some lists, which all sessions of a language share.
func postersOf(e *env, l *lobby.Lists) *posters {
	return l.Shared(e.say, func() any { return newPosters(e, l) }).(*posters)
}

func newPosters(e *env, l *lobby.Lists) *posters {
	say := e.say
	remark := func(b block, words, short string) *notice {
		return &notice{block: b, game: words, cells: [3]string{short}}
	}
	heading := func(b block, words string) *notice { return &notice{block: b, heading: true, game: words} }
	p := &posters{
		yours:       heading(yourMatches, say.T("YOUR MATCHES")),
		noneYours:   remark(yourMatches, say.T("none yet"), ""),
		offers:      heading(openOffers, say.T("OPEN OFFERS")),
		noneOffers:  remark(openOffers, say.T("none: a new match of yours would be the first"), say.T("none yet")),
		onlyYours:   remark(openOffers, say.T("none but yours"), ""),
		running:     heading(nowPlaying, say.T("NOW PLAYING")),
		noneRunning: remark(nowPlaying, say.T("nobody just now"), ""),
		open:        make([]*notice, len(l.Offers)),
		playing:     make([]*notice, len(l.Running)),
	}
	for i, o := range l.Offers {
		p.open[i] = offerNotice(e, o)
	}
	for i, r := range l.Running {
		p.playing[i] = runningNotice(e, r)
	}
	return p
}

// rowsOf lays out the lists as rows, with a heading for each block.
func rowsOf(e *env, l listsMsg) []row {
	const words = 6 // headings and remarks
	p := postersOf(e, l.lists)
	rows := make([]row, 0, words+len(l.yours.Invitations)+len(l.yours.Matches)+len(p.open)+len(p.playing))
	add := func(of *notice) { rows = append(rows, row{notice: of}) }
	add(p.yours)
	for _, o := range l.yours.Invitations {
		add(inviteNotice(e, o))
	}
	for _, m := range l.yours.Matches {
		add(mineNotice(e, m))
	}
	if len(rows) == 1 {
		add(p.noneYours)
	}

	others := func(all []*notice) (some bool) {
		for _, o := range all {
			if !e.is(o.who[0]) && !e.is(o.who[1]) {
				some = true
				add(o)
			}
		}
		return some
	}
	add(p.offers)
	switch {
	case others(p.open):
	case len(p.open) > 0:
		add(p.onlyYours)
	default:
		add(p.noneOffers)
	}
	add(p.running)
	if !others(p.playing) {
		add(p.noneRunning)
	}
	return rows
}

func mineNotice(e *env, m lobby.Mine) *notice {
	say := e.say
	r := &notice{block: yourMatches, id: m.ID, waiting: m.YourTurn, game: gameName(e, m.Game)}
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

func inviteNotice(e *env, o lobby.Offer) *notice {
	say := e.say
	what := say.T("invites you")
	if o.RematchOf != "" {
		what = say.T("rematch?")
	}
	return &notice{block: yourMatches, id: o.ID, waiting: true, seat: true, game: gameName(e, o.Game),
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

func offerNotice(e *env, o lobby.Offer) *notice {
	r := &notice{block: openOffers, id: o.ID, seat: true, who: [2]storage.Occupant{o.By, o.By}, game: gameName(e, o.Game)}
	r.cells[0] = gameVariant(e, o.Game, o.Options)
	if o.Ply > 0 {
		r.cells[0] = e.say.T("from move %d", o.Ply)
	}
	r.cells[1] = strong(e, o.By, o.Strength)
	r.cells[2] = casual(e.say, o.Rated)
	return r
}

func runningNotice(e *env, g lobby.Running) *notice {
	return &notice{block: nowPlaying, id: g.ID, who: g.Seats, game: gameName(e, g.Game),
		cells: [3]string{"", "", e.say.T("move %d", g.Ply)}, pair: pairOf(e, g)}
}

// A pair is the two players of a match.
type pair struct {
	strong string    // with their ratings
	plain  string    // without
	names  [2]string // each alone
}

const betweenPair = " - "

func pairOf(e *env, g lobby.Running) pair {
	a, b := g.Seats[0], g.Seats[1]
	return newPair([2]string{occupant(e, a), occupant(e, b)}, [2]string{strong(e, a, g.Strength[0]), strong(e, b, g.Strength[1])})
}

func newPair(names, strong [2]string) pair {
	return pair{strong[0] + betweenPair + strong[1], names[0] + betweenPair + names[1], names}
}

// in writes the two into so many cells. If there is no room for their ratings, their names have to do; if they don't fit
// either, the longer one is cut, or each to a half.
func (p pair) in(cells int) string {
	switch {
	case text.Width(p.strong) <= cells:
		return p.strong
	case text.Width(p.plain) <= cells:
		return p.plain
	}
	half := max((cells-len(betweenPair))/2, 0)
	first := text.Cut(p.names[0], max(half, cells-len(betweenPair)-text.Width(p.names[1])))
	return first + betweenPair + text.Cut(p.names[1], max(cells-len(betweenPair)-text.Width(first), 0))
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
