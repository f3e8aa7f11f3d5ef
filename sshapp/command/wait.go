package command

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/news"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// waitCommand is the row of wait. It follows the lists: in the line mode the next line ends it.
func waitCommand() command {
	return command{name: "wait", args: "[--for yours|challenge|event|any] [--after TIME] [--timeout D]",
		summary: text.T("wait until something wants you, such as your move or a challenge; --after is a time such as 2026-01-31T18:00:00Z"),
		flags:   waitFlags, run: wait, follows: true}
}

// longestWait is how long wait waits at most, and without --timeout.
const longestWait = 24 * time.Hour

func waitFlags(f *flags) {
	f.set.StringVar(&f.waitFor, "for", "any", "")
	f.set.StringVar(&f.after, "after", "", "")
	f.set.DurationVar(&f.timeout, "timeout", longestWait, "")
}

// A waitJSON is something that wants the player.
type waitJSON struct {
	Kind  news.Kind       `json:"kind"`
	Match storage.MatchID `json:"match"`
	Code  string          `json:"code"`
	By    string          `json:"by"`
	Event string          `json:"event"` // "": there are no events
	At    string          `json:"at"`    // to the millisecond, so that --after takes it
}

// wait ends as soon as something newer than --after wants the player, and prints all that does then, the oldest first.
//
// The lists tell since when a match waits, when it began, and when a challenge or a rematch was made; the history tells when a match ended. So
// these are not lost between two calls, the second of which has the time of the last line of the first as --after. Only while wait runs it
// tells that a challenge was declined or has lapsed, that nobody took an offer, and that a match ended that is too short for the history.
// What another node has written a moment earlier than the last line, and this node has read later, is older than --after.
func wait(c *call) error {
	want, err := c.wanted()
	if err != nil {
		return err
	}
	who, err := c.owner()
	if err != nil {
		return err
	}
	end, err := c.runner.waits.begin(c.say, who, c.caller.Origin)
	if err != nil {
		return err
	}
	defer end()
	c.neverIdle()
	ctx, cancel := context.WithTimeout(c.ctx, c.flags.timeout)
	defer cancel()
	found, err := c.awaitNews(ctx, who, want)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && c.ctx.Err() == nil:
		return refusal{codeExpired, c.say.T("Nothing has come in that time.")}
	case err != nil:
		return err
	}
	for _, i := range found {
		if err := c.printNews(who, i); err != nil {
			return err
		}
	}
	return nil
}

// A wanted is what wait waits for.
type wanted struct {
	kind  string    // yours, challenge, event or any
	after time.Time // zero: whatever comes from now on
}

// wanted reads the flags of wait.
func (c *call) wanted() (w wanted, err error) {
	w.kind = c.flags.waitFor
	if !slices.Contains([]string{"yours", "challenge", "event", "any"}, w.kind) {
		return w, usageError{words: c.say.T("--%s can't be %s.", "for", short(w.kind))}
	}
	if c.flags.timeout <= 0 || c.flags.timeout > longestWait {
		return w, usageError{words: c.say.T("--%s can't be %s.", "timeout", short(c.flags.timeout.String()))}
	}
	if c.flags.after != "" {
		if w.after, err = time.Parse(time.RFC3339, c.flags.after); err != nil {
			return w, usageError{words: c.say.T("--%s can't be %s.", "after", short(c.flags.after))}
		}
	}
	return w, nil
}

// takes reports whether wait ends with an item.
func (w wanted) takes(i news.Item) bool {
	switch w.kind {
	case "yours":
		return i.OfYours()
	case "challenge":
		return i.OfInvitations()
	case "any":
		return i.OfYours() || i.OfInvitations()
	}
	return false // there are no events
}

// isNewer reports whether an item is newer than --after, as far as printed times tell.
func (w wanted) isNewer(i news.Item) bool { return i.At.Truncate(time.Millisecond).After(w.after) }

// awaitNews returns what wait ends with, as soon as there is any.
func (c *call) awaitNews(ctx context.Context, who lobby.User, want wanted) (found []news.Item, err error) {
	reader := news.NewReader(c.lobby().Lists, who)
	yours, items, err := reader.Next(ctx)
	if err == nil && !want.after.IsZero() {
		ended, err := c.endedSince(ctx, who, want)
		if err != nil {
			return nil, err
		}
		items = append(ended, slices.DeleteFunc(news.Standing(yours), func(i news.Item) bool { return i.Own })...)
	}
	for err == nil {
		for _, i := range items {
			tells := true
			if i.Kind == news.Ended {
				i, tells = resolved(ctx, c.lobby(), who, i.Match)
			}
			if tells && want.takes(i) && want.isNewer(i) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			slices.SortStableFunc(found, func(a, b news.Item) int { return a.At.Compare(b.At) })
			return found, nil
		}
		_, items, err = reader.Next(ctx)
	}
	return nil, err
}

// resolved returns what it means to a user that a match is in their lists no more; ok is false if that is nothing.
func resolved(ctx context.Context, l *lobby.Lobby, who lobby.User, ref lobby.Ref) (end news.Item, ok bool) {
	seat, err := l.Seats.At(ctx, who, ref)
	if err != nil {
		return news.Item{}, false // it is forgotten already
	}
	if end, ok = news.Resolve(ctx, seat); ok {
		end.Match = ref // with the code
	}
	return end, ok
}

// mostEnded bounds the finished matches that wait reads.
const mostEnded = 20

// endedSince returns the user's matches in the history that have ended since --after by another doing than the user's; the newest ones if there
// are many.
func (c *call) endedSince(ctx context.Context, who lobby.User, want wanted) (items []news.Item, err error) {
	err = c.step(func() error {
		rows, _, err := c.lobby().Results.History(ctx, standings.HistoryQuery{Name: who.Name, Limit: mostEnded})
		if err != nil {
			return err
		}
		for _, f := range rows {
			if !f.Ended.After(want.after) {
				break // those that follow ended earlier
			}
			if end, ok := resolved(ctx, c.lobby(), who, lobby.Ref{ID: f.ID, Code: f.Code}); ok {
				items = append(items, end)
			}
		}
		return nil
	})
	return items, err
}

// printNews prints what wait ends with, a line each.
func (c *call) printNews(who lobby.User, i news.Item) error {
	if !c.flags.json {
		return c.printf("%s\n", newsWords{c.say, c.lobby(), who}.of(i))
	}
	at := i.At.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
	return c.json(waitJSON{Kind: i.Kind, Match: i.Match.ID, Code: i.Match.Code, By: c.say.Name(i.By.Name), At: at})
}

// The most commands that wait at one time, on one node.
const (
	maxWaitsPerPlayer = 1
	maxWaitsPerBlock  = 4 // times the weight of the block of addresses
)

// waits counts the commands that wait. It is safe for concurrent use.
type waits struct {
	mu     sync.Mutex // guards what follows
	people map[string]int
	blocks map[netip.Prefix]int
}

func newWaits() *waits {
	return &waits{people: make(map[string]int), blocks: make(map[netip.Prefix]int)}
}

// begin counts a command of a player until end is called. The error is a refusal.
func (w *waits) begin(say wording.Words, who lobby.User, from origin.Origin) (end func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	blocks := origin.Blocks(from.Addr)
	switch {
	case w.people[who.ID] >= maxWaitsPerPlayer:
		return nil, refusal{codeConflict, say.T("You wait in another session already.")}
	case slices.ContainsFunc(blocks, func(b origin.Block) bool { return w.blocks[b.Prefix] >= maxWaitsPerBlock*b.Weight }):
		return nil, refusal{codeBusy, say.T("Too many commands wait at your address already.")}
	}
	count := func(n int) {
		add(w.people, who.ID, n)
		for _, b := range blocks {
			add(w.blocks, b.Prefix, n)
		}
	}
	count(1)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		count(-1)
	}, nil
}
