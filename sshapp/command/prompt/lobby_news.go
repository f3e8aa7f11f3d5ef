package prompt

import (
	"context"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/news"
	"ludoteca/sshapp/wording"
)

// A News tells one caller what happens to them outside of the current match: they are challenged or asked for a rematch; a match of
// theirs begins, waits for their move or ends; a challenge is answered or lapses.
type News struct {
	Say   func() wording.Words // the language, which may change
	Lobby *lobby.Lobby
	Who   lobby.User
	Match *Match // whose news come with it
	Tell  func(string)
}

// Run tells what waits for the caller already, and then what happens, until ctx ends.
func (n News) Run(ctx context.Context) {
	reader := news.NewReader(n.Lobby.Lists, n.Who)
	yours, _, err := reader.Next(ctx)
	if err == nil {
		n.waiting(yours)
	}
	for err == nil { // else the caller is gone, or the club closes, which the prompt says
		var items []news.Item
		_, items, err = reader.Next(ctx)
		n.tellAll(ctx, items)
	}
}

// waiting says what waits for the caller when they come.
func (n News) waiting(yours lists.Yours) {
	waits := 0
	var invited []news.Item
	for _, i := range news.Standing(yours) {
		switch {
		case i.Kind == news.YourMove && !n.Match.tells(i.Match.ID):
			waits++
		case i.OfInvitations():
			invited = append(invited, i)
		}
	}
	if waits > 0 {
		n.Tell(n.Say().N(waits, "One match waits for your move: matches shows it.", "%d matches wait for your move: matches lists them."))
	}
	for _, k := range n.Lobby.Lists.Now(n.Who).Sought {
		n.Tell(n.Say().T("%s: quick and the game finds them.", n.Say().Sought(k, n.Lobby.Game)))
	}
	for _, i := range invited {
		n.Tell(Words(n.Say(), n.Lobby, i))
	}
}

// tellAll tells what has happened. A match that was not there before is the caller's own doing, unless they are invited to it. Offers between
// the sides of a match are told at that match alone.
func (n News) tellAll(ctx context.Context, items []news.Item) {
	for _, i := range items {
		tells := i.Kind != news.Offered && i.Kind != news.Paired && (i.OfInvitations() || !n.Match.tells(i.Match.ID))
		if tells && i.Kind == news.Ended {
			i, tells = Resolved(ctx, n.Lobby, n.Who, i.Match)
		}
		if !tells {
			continue
		}
		words := Words(n.Say(), n.Lobby, i)
		if i.Kind == news.Begins {
			words += " " + n.goTo(ctx, i.Match)
		}
		n.Tell(words)
	}
}

// goTo brings a caller who is in the lobby to the board of a match that begins. It returns a sentence that says so, or how to get there.
func (n News) goTo(ctx context.Context, ref lobby.Ref) string {
	if seat, err := n.Lobby.Seats.At(ctx, n.Who, ref); err == nil && n.Match.setIfNone(ctx, seat, ref) {
		return n.Say().T("You are at its board now.")
	}
	return n.Say().T("show %s goes to its board.", ref.Code)
}

// Words returns the sentences of an item of the lists, and how the caller answers it.
func Words(say wording.Words, l *lobby.Lobby, i news.Item) string {
	if i.OfEvents() {
		return say.Events().News(i)
	}
	words := say.News(i, l.Game)
	switch i.Kind {
	case news.Challenged, news.Rematch, news.Offered:
		words += " " + HowToAnswer(say, i.Match.Code)
	}
	return words
}

// Resolved returns what it means to a user that a match is in their lists no more; ok is false if that is nothing.
func Resolved(ctx context.Context, l *lobby.Lobby, who lobby.User, ref lobby.Ref) (end news.Item, ok bool) {
	seat, err := l.Seats.At(ctx, who, ref)
	if err != nil {
		return news.Item{}, false // it is forgotten already
	}
	if end, ok = news.Resolve(ctx, seat); ok {
		end.Match = ref // with the code
	}
	return end, ok
}
