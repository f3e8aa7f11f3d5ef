package lobbypage

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/wording"
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

// A row is the text of one line of the lists: a match, or with an empty id a heading or a remark. Rows are never changed, so
// sessions share the rows that all players see.
type row struct {
	block   block
	heading bool
	sought  bool // it says what others look for
	id      storage.MatchID
	waiting bool                // the match waits for the player
	seat    bool                // choosing the row takes a seat
	who     [2]storage.Occupant // the row is not shown to these: it stands among their own matches
	game    string              // or the words of a heading or remark
	cells   [3]string           // the columns behind the game; a long remark has a short form in the first
	pair    describe.Pair       // of a running match, shown in the first column
	stands  time.Time           // of a running match: until when its clock stands
	rated   bool                // of an offer
	terms   []string            // of an offer: what stands below the lists while the cursor is on it
	shorter []string            // shorter forms of the first column, the longest first
}

// A shownRow is a row as one session shows it.
type shownRow struct {
	*row
	removed bool // it has disappeared from the lists
	removal int  // the number of the removal that it is due for then
}

// sharedRows are the rows that do not depend on the player, in one language.
type sharedRows struct {
	yours, noneYours              *row // headings, and the remarks below headings without matches
	offers, noneOffers, onlyYours *row
	running, noneRunning          *row
	sought                        []*row
	open, playing                 []*row
	needs                         [blocks]need // of open and playing
}

// A need is how many cells the columns of a block need behind the game for nothing in them to be cut, with a space behind each.
type need struct{ first, second, third int }

// with returns the need of a block with one more row.
func (n need) with(r *row) need {
	first := text.Width(r.cells[0])
	if r.block == nowPlaying {
		first = r.pair.Width()
	}
	return need{max(n.first, first+1), max(n.second, text.Width(r.cells[1])+1), max(n.third, text.Width(r.cells[2])+1)}
}

// sharedRowsOf returns the shared rows of some lists, in which no time is shown. All sessions in one language get the same ones: the rows of the longest lists
// take 166 KiB and half a millisecond (BenchmarkSharedRows). 166 KiB is most of what a session may hold.
func sharedRowsOf(e *screen.Env, l *lists.Lists) *sharedRows {
	return l.Shared(e.Say.Say, func() any { return newSharedRows(e, l) }).(*sharedRows)
}

func newSharedRows(e *screen.Env, l *lists.Lists) *sharedRows {
	say := e.Say
	remark := func(b block, words, short string) *row {
		return &row{block: b, game: words, cells: [3]string{short}}
	}
	heading := func(b block, words string) *row { return &row{block: b, heading: true, game: words} }
	p := &sharedRows{
		yours:       heading(yourMatches, say.T("YOUR MATCHES")),
		noneYours:   remark(yourMatches, say.T("none just now"), ""),
		offers:      heading(openOffers, say.T("OPEN OFFERS")),
		noneOffers:  remark(openOffers, say.T("none: a new match of yours would be the first"), say.T("none just now")),
		onlyYours:   remark(openOffers, say.T("none but yours"), ""),
		running:     heading(nowPlaying, say.T("NOW PLAYING")),
		noneRunning: remark(nowPlaying, say.T("nobody just now"), ""),
		open:        make([]*row, len(l.Offers)),
		playing:     make([]*row, len(l.Running)),
	}
	for _, k := range l.Sought {
		p.sought = append(p.sought, &row{block: openOffers, sought: true, game: say.Sought(k, e.Lobby.Game)})
	}
	for i, o := range l.Offers {
		p.open[i] = offerRow(e, o)
		p.needs[openOffers] = p.needs[openOffers].with(p.open[i])
	}
	for i, r := range l.Running {
		p.playing[i] = runningRow(e, r)
		p.needs[nowPlaying] = p.needs[nowPlaying].with(p.playing[i])
	}
	return p
}

// needsOf returns the widths that the columns of each block need, for the shared rows and for the player's own among rows.
func needsOf(e *screen.Env, l screen.ListsMsg, rows []shownRow) [blocks]need {
	needs := sharedRowsOf(e, l.Lists).needs
	for _, r := range rows {
		if r.block != yourMatches {
			break
		}
		if r.id != "" {
			needs[yourMatches] = needs[yourMatches].with(r.row)
		}
	}
	return needs
}

// rowsOf returns the rows of the lists, with a heading for each block.
func rowsOf(e *screen.Env, l screen.ListsMsg) []shownRow {
	const words = 10 // headings and remarks
	p := sharedRowsOf(e, l.Lists)
	rows := make([]shownRow, 0, words+len(l.Yours.Invitations)+len(l.Yours.Matches)+len(p.open)+len(p.playing))
	add := func(of *row) { rows = append(rows, shownRow{row: of}) }
	add(p.yours)
	for _, o := range l.Yours.Invitations {
		add(invitationRow(e, o))
	}
	for _, m := range l.Yours.Matches {
		add(matchRow(e, m))
	}
	if len(rows) == 1 {
		add(p.noneYours)
	}

	others := func(all []*row) (some bool) {
		for _, o := range all {
			if !e.Is(o.who[0]) && !e.Is(o.who[1]) {
				some = true
				add(o)
			}
		}
		return some
	}
	add(p.offers)
	for _, k := range p.sought {
		add(k)
	}
	switch {
	case others(p.open):
	case len(p.sought) > 0:
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

func matchRow(e *screen.Env, m lists.Mine) *row {
	say := e.Say
	r := &row{block: yourMatches, id: m.ID, waiting: m.Waits(), game: describe.GameName(e, m.Game)}
	switch {
	case m.Both:
		r.cells[0] = say.T("both sides")
	case m.Opponent.Kind == storage.Free:
		r.cells[0] = m.Code
	default:
		r.cells[0] = say.T("vs %s", describe.Occupant(e, m.Opponent))
	}
	r.cells[0] = describe.WithClock(e, m.Clock, r.cells[0])
	switch {
	case m.Standing:
		// Translators: of an offer of the player: when it is taken, the next one opens.
		r.cells[1] = say.C("an offer", "standing")
	case m.Started.IsZero():
		r.cells[1] = say.T("seat free")
	case e.Now().Before(m.Stands):
		// Translators: of a match whose clock stands, because of a vacation or an adjournment. There is room for 9 letters.
		r.cells[1] = say.T("paused")
	case m.Both: // no opponent waits
	case m.YourTurn:
		r.cells[1] = say.T("your move")
	default:
		r.cells[1] = say.T("waiting")
	}
	r.cells[2] = age(e, m.LastAt)
	return r
}

func invitationRow(e *screen.Env, o lists.Offer) *row {
	say := e.Say
	what := say.T("invites you")
	if o.RematchOf != "" {
		what = say.T("rematch?")
	}
	return &row{block: yourMatches, id: o.ID, waiting: true, seat: true, game: describe.GameName(e, o.Game), rated: o.Rated, terms: termsOf(e, o),
		cells: [3]string{describe.WithClock(e, o.Clock, say.T("vs %s", describe.Occupant(e, o.By))), what, age(e, o.Since)}}
}

// age is the time since a match began to wait. Its column has no room for minutes beside hours.
func age(e *screen.Env, since time.Time) string {
	d := e.Now().Sub(since)
	if d >= time.Hour {
		d = d.Truncate(time.Hour)
	}
	return e.Say.Span(d)
}

func offerRow(e *screen.Env, o lists.Offer) *row {
	r := &row{block: openOffers, id: o.ID, seat: true, who: [2]storage.Occupant{o.By, o.By}, game: describe.GameName(e, o.Game),
		rated: o.Rated, terms: termsOf(e, o)}
	r.cells[0] = describe.GameVariant(e, o.Game, o.Options)
	if words := beginning(e.Say, o); words != "" {
		r.cells[0] = words
	}
	if ratings := ratingRange(o); ratings != "" { // who may take it says more than the size of the board
		r.cells[0] += " " + ratings
		r.shorter = []string{describe.WithClock(e, o.Clock, ratings), ratings}
	} else if o.Clock.Kind != lobby.NoClock {
		r.shorter = []string{e.Say.ShortClock(o.Clock)}
	}
	r.cells[0] = describe.WithClock(e, o.Clock, r.cells[0])
	r.cells[1] = describe.WithRating(e, o.By, o.Strength)
	r.cells[2] = describe.Casual(e.Say, o.Rated)
	return r
}

// beginning says from where the match of an offer begins, if not from the start of its game.
func beginning(say wording.Words, o lists.Offer) string {
	switch {
	case o.Ply > 0:
		return say.T("from move %d", o.Ply)
	case o.From != "":
		return say.T("from a position")
	}
	return ""
}

// ratingRange returns the ratings that an offer is for: 1400-1600; "" for any.
func ratingRange(o lists.Offer) string {
	if o.Range == [2]int{} {
		return ""
	}
	return fmt.Sprintf("%d-%d", o.Range[0], o.Range[1])
}

// termsOf says what an offer is, and what its maker is like, in parts: classic 7x7, 5+3, rated, 1400-1600, finishes 97%.
func termsOf(e *screen.Env, o lists.Offer) (terms []string) {
	say := e.Say
	if g, err := e.Lobby.Game(o.Game); err == nil {
		terms = append(terms, describe.FullVariant(say, g.About(), o.Options))
	}
	if words := beginning(say, o); words != "" {
		terms = append(terms, words)
	}
	terms = append(terms, say.Clock(o.Clock), describe.Casual(say, o.Rated))
	if ratings := ratingRange(o); ratings != "" {
		terms = append(terms, ratings)
	}
	if share, known := o.FinishedShare(); known {
		terms = append(terms, say.FinishesShort(share))
	}
	return terms
}

// first returns the first column of a row in the given number of cells.
func (r *row) first(cells int) string {
	words := r.cells[0]
	for _, shorter := range r.shorter {
		if text.Width(words) <= cells {
			break
		}
		words = shorter
	}
	return text.Cut(words, cells)
}

func runningRow(e *screen.Env, g lists.Running) *row {
	// Translators: a match without a move.
	move := e.Say.T("new") // in a column too narrow for wording.Words.AtMove
	if g.Ply > 0 {
		move = e.Say.T("move %d", g.Ply)
	}
	return &row{block: nowPlaying, id: g.ID, who: g.Seats, game: describe.GameName(e, g.Game),
		cells: [3]string{"", e.Say.ShortClock(g.Clock), move}, pair: describe.PairOf(e, g), stands: g.Stands}
}

// firstMatch returns the place of the first row that can be chosen, -1 if there is none.
func firstMatch(rows []shownRow) int {
	return slices.IndexFunc(rows, func(r shownRow) bool { return r.id != "" })
}

// nthMatch returns the match of the nth of the rows that can be chosen, counted from 0; "" if there are fewer.
func nthMatch(rows []shownRow, n int) storage.MatchID {
	for _, r := range rows {
		if r.id == "" {
			continue
		}
		if n == 0 {
			return r.id
		}
		n--
	}
	return ""
}

// mergeRows returns the fresh rows together with the old ones that have disappeared from the lists. The old ones are marked as
// removed, and each keeps its place behind the row that it stood behind. A row that has just disappeared is due for the
// removal with the given number. A row isn't kept if its match stands in another block now, because the cursor follows the match.
func mergeRows(old, fresh []shownRow, removal int) (rows []shownRow, anyRemoved bool) {
	places := make(map[rowKey]int, len(fresh))
	listed := make(map[storage.MatchID]bool, len(fresh))
	for i, r := range fresh {
		places[r.key()] = i
		listed[r.id] = true
	}
	var removed []removedRow
	behind := 0
	for _, o := range old {
		if i, ok := places[o.key()]; ok {
			behind = i + 1
			continue
		}
		if listed[o.id] || o.id == "" {
			continue // it stands in another block now, or is a remark
		}
		if !o.removed {
			o.removed, o.removal = true, removal
		}
		removed = append(removed, removedRow{o, behind})
	}
	if len(removed) == 0 {
		return fresh, false
	}
	slices.SortStableFunc(removed, func(a, b removedRow) int { return cmp.Compare(a.behind, b.behind) })
	rows = make([]shownRow, 0, len(fresh)+len(removed))
	for i := range len(fresh) + 1 {
		for ; len(removed) > 0 && removed[0].behind == i; removed = removed[1:] {
			rows = append(rows, removed[0].shownRow)
		}
		if i < len(fresh) {
			rows = append(rows, fresh[i])
		}
	}
	return rows, true
}

// A removedRow is a row that has disappeared from the lists. It stands behind the first behind fresh rows.
type removedRow struct {
	shownRow
	behind int
}

// A rowKey tells rows apart.
type rowKey struct {
	id      storage.MatchID
	block   block
	heading bool
}

func (r shownRow) key() rowKey { return rowKey{r.id, r.block, r.heading} }

// dropRemoved returns the rows without the removed ones that are due for a removal up to the given number. The held row stays.
func dropRemoved(rows []shownRow, removal int, held storage.MatchID) []shownRow {
	due := func(r shownRow) bool { return r.removed && r.removal <= removal && r.id != held }
	if !slices.ContainsFunc(rows, due) {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), due)
}
