package command

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/news"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// waitRow is the row of wait. It follows the lists: in the line mode the next line ends it.
func waitRow() *row {
	return &row{Name: "wait", Example: "wait --for yours", Answer: waitJSON{}, Follows: true, Run: wait,
		Summary: text.T("wait until something wants you, such as your move or a challenge")}
}

// longestWait is how long wait waits at most, and without --timeout.
const longestWait = 24 * time.Hour

// A waitJSON is something that wants the player.
type waitJSON struct {
	Kind  news.Kind       `json:"kind" help:"what has happened, such as your_move, begins, paired, over, challenge, rematch, declined, lapsed, told, event_soon, event_over or event_off"`
	Match storage.MatchID `json:"match" help:"the id of the match that it is about; \"\": none"`
	Code  string          `json:"code" help:"the code of that match; \"\": none"`
	By    string          `json:"by" help:"the name of the other player; \"\": none"`
	Text  string          `json:"text" help:"what the other player has written to you, of told; else \"\""`
	Event string          `json:"event" help:"the code of the event that it is about; \"\": none"`
	At    string          `json:"at" help:"when it happened, in UTC to the millisecond, as --after takes it"`
}

// wait ends as soon as something newer than --after wants the player, and prints all that does then, the oldest first.
//
// The lists tell since when a match waits, when it began, and when a challenge or a rematch was made; the history tells when a match ended. So
// these are not lost between two calls, the second of which has the time of the last line of the first as --after. Only while wait runs it
// tells that a challenge was declined or has lapsed, that nobody took an offer, and that a match ended that is too short for the history.
// What another node has written a moment earlier than the last line, and this node has read later, is older than --after.
func wait(f *tree.Flags) run {
	kind := f.String("for", "yours|challenge|event|any", "any", text.T("what ends it: something about your matches, a challenge, an event, or any of these"))
	after := f.String("after", "TIME", "", text.T("only what is newer than this time, such as 2026-01-31T18:00:00Z; without it, than now"))
	timeout := f.Duration("timeout", "D", longestWait, text.T("how long it waits, at most 24h"))
	return func(c *call) (reply.Reply, error) {
		want, err := wantedOf(c.say, *kind, *after, *timeout)
		if err != nil {
			return nil, err
		}
		who, err := c.owner()
		if err != nil {
			return nil, err
		}
		end, err := c.runner.waits.Begin(who.ID, c.caller.Origin)
		switch {
		case errors.Is(err, gate.ErrWaiting):
			return nil, refusal{codeConflict, c.say.T("You wait in another session already.")}
		case err != nil:
			return nil, refusal{codeBusy, c.say.T("Too many commands wait at your address already.")}
		}
		defer end()
		c.neverIdle()
		ctx, cancel := context.WithTimeout(c.ctx, *timeout)
		defer cancel()
		found, err := awaitNews(ctx, c, who, want)
		switch {
		case errors.Is(err, context.DeadlineExceeded) && c.ctx.Err() == nil:
			return nil, refusal{codeExpired, c.say.T("Nothing has come in that time.")}
		case err != nil:
			return nil, err
		}
		rows := make([]reply.Row, len(found))
		for n, i := range found {
			rows[n] = newsRow(c, i)
		}
		return reply.One(rows...), nil
	}
}

// A wanted is what wait waits for.
type wanted struct {
	kind  string    // yours, challenge, event or any
	after time.Time // zero: whatever comes from now on
}

// wantedOf reads the flags of wait.
func wantedOf(say wording.Words, kind, after string, timeout time.Duration) (w wanted, err error) {
	wrong := func(flag, value string) error {
		return usageError{words: say.T("--%s can't be %s.", flag, tree.Quoted(value))}
	}
	w.kind = kind
	if !slices.Contains([]string{"yours", "challenge", "event", "any"}, kind) {
		return w, wrong("for", kind)
	}
	if timeout <= 0 || timeout > longestWait {
		return w, wrong("timeout", timeout.String())
	}
	if after != "" {
		if w.after, err = time.Parse(time.RFC3339, after); err != nil {
			return w, wrong("after", after)
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
	case "event":
		return i.OfTournaments() || ofEvents(i)
	}
	return i.OfYours() || i.OfInvitations() || ofEvents(i) || i.Kind == news.Told
}

// ofEvents reports whether an item is about an event and doesn't come from the lists, which have the matches of events.
func ofEvents(i news.Item) bool { return i.OfEvents() && i.Kind != news.EventRound }

// isNewer reports whether an item is newer than --after, as far as printed times tell.
func (w wanted) isNewer(i news.Item) bool { return i.At.Truncate(time.Millisecond).After(w.after) }

// awaitTells returns what other players write to the user from now on, or what is kept of it that is newer than --after, as soon as there is any.
func awaitTells(ctx context.Context, c *call, who lobby.User, want wanted) (found []news.Item, err error) {
	before, err := c.lobby().Tells.Kept(ctx, who)
	if err != nil {
		return nil, err
	}
	last := uint64(0)
	if len(before) > 0 && want.after.IsZero() {
		last = before[len(before)-1].Number
	}
	incoming, leave := c.lobby().Tells.Listen(who)
	defer leave()
	for len(found) == 0 {
		lines, err := incoming.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			i := news.Item{Kind: news.Told, By: storage.Occupant{Kind: storage.Person, ID: string(l.Peer), Name: l.By}, At: l.At, Text: l.Text}
			if l.Number > last && want.isNewer(i) {
				found = append(found, i)
			}
		}
	}
	return found, nil
}

// awaitNews returns what wait ends with, as soon as there is any.
func awaitNews(ctx context.Context, c *call, who lobby.User, want wanted) (found []news.Item, err error) {
	ctx, cancel := context.WithCancel(ctx)
	read := make(chan readNews)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	reader := news.NewReader(c.lobby().Lists, who)
	yours, items, err := reader.Next(ctx)
	reading.Go(func() {
		readAll(ctx, read, news.NewEventReader(c.lobby().Tournaments.Reader, who, time.Now).Next)
	})
	reading.Go(func() {
		readAll(ctx, read, func(ctx context.Context) ([]news.Item, error) { _, items, err := reader.Next(ctx); return items, err })
	})
	if want.takes(news.Item{Kind: news.Told}) {
		reading.Go(func() {
			items, err := awaitTells(ctx, c, who, want)
			send(ctx, read, readNews{items, err})
		})
	}
	if err == nil && !want.after.IsZero() {
		ended, err := endedSince(ctx, c, who, want)
		if err != nil {
			return nil, err
		}
		items = append(ended, slices.DeleteFunc(news.Standing(yours), func(i news.Item) bool { return i.Own })...)
	}
	for err == nil {
		for _, i := range items {
			tells := true
			if i.Kind == news.Ended {
				i, tells = prompt.Resolved(ctx, c.lobby(), who, i.Match)
			}
			if tells && want.takes(i) && want.isNewer(i) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			slices.SortStableFunc(found, func(a, b news.Item) int { return a.At.Compare(b.At) })
			return found, nil
		}
		select {
		case r := <-read:
			items, err = r.items, r.err
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return nil, err
}

// A readNews is what a reader has read.
type readNews struct {
	items []news.Item
	err   error
}

// readAll sends what a reader reads until ctx ends or it fails.
func readAll(ctx context.Context, to chan<- readNews, next func(context.Context) ([]news.Item, error)) {
	for {
		items, err := next(ctx)
		if !send(ctx, to, readNews{items, err}) || err != nil {
			return
		}
	}
}

// send reports whether r was taken before ctx ended.
func send(ctx context.Context, to chan<- readNews, r readNews) bool {
	select {
	case to <- r:
		return true
	case <-ctx.Done():
		return false
	}
}

// mostEnded bounds the finished matches that wait reads.
const mostEnded = 20

// endedSince returns the user's matches in the history that have ended since --after by another doing than the user's; the newest ones if there
// are many.
func endedSince(ctx context.Context, c *call, who lobby.User, want wanted) (items []news.Item, err error) {
	err = c.runner.gate.Step(ctx, c.caller.origin().Person, func() error {
		rows, _, err := c.lobby().Results.History(ctx, standings.HistoryQuery{Name: who.Name, Limit: mostEnded})
		if err != nil {
			return err
		}
		for _, f := range rows {
			if !f.Ended.After(want.after) {
				break // those that follow ended earlier
			}
			if end, ok := prompt.Resolved(ctx, c.lobby(), who, lobby.Ref{ID: f.ID, Code: f.Code}); ok {
				items = append(items, end)
			}
		}
		return nil
	})
	return items, err
}

// newsRow returns what wait prints of an item.
func newsRow(c *call, i news.Item) reply.Row {
	return reply.Made(
		func() string { return prompt.Words(c.say, c.lobby(), i) },
		func() any {
			at := i.At.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
			j := waitJSON{Kind: i.Kind, Match: i.Match.ID, Code: i.Match.Code, By: c.say.Name(i.By.Name), Text: text.Clean(i.Text), At: at}
			switch {
			case i.Event != nil:
				j.Event = i.Event.Settings.Code
			case i.OfTournaments():
				j.Event = i.Mine.Tournament.Code
			}
			return j
		},
	)
}
