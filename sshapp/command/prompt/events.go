package prompt

import (
	"context"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/news"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// An Events tells one caller what happens in events in which they take part: that one begins soon, whom they play and where, and how it has ended.
type Events struct {
	Say   func() wording.Words // the language, which may change
	Lobby *lobby.Lobby
	Who   lobby.User
	Match *Match                   // which becomes the match of the event
	At    func(id storage.MatchID) // is called when it does, by the code that prints the line
	Tell  func(Line)
}

// Run tells what happens until ctx ends.
func (e Events) Run(ctx context.Context) {
	reader := news.NewEventReader(e.Lobby.Tournaments.Reader, e.Who, time.Now)
	for {
		items, err := reader.Next(ctx)
		if err != nil {
			return // the caller is gone, or the club closes, which the prompt says
		}
		for _, i := range items {
			if i.Kind == news.EventRound {
				e.tellRound(ctx, i)
				continue
			}
			e.Tell(Line{Words: e.Say().Events().News(i)})
		}
	}
}

// tellRound tells that the caller plays, and brings them to the board.
func (e Events) tellRound(ctx context.Context, i news.Item) {
	words := e.Say().Events().News(i)
	seat, err := e.Lobby.Seats.At(ctx, e.Who, i.Match)
	if err != nil {
		e.Tell(Line{Words: words + " " + e.Say().T("show %s goes to its board.", i.Match.Code)})
		return
	}
	view, _ := seat.Now(ctx)     // without it the prompt tells less
	chat, _ := seat.Chat(ctx, 0) // likewise
	e.Tell(Line{Make: func(typing bool) string {
		if view == nil || !e.Match.setForEvent(seat, i.Match, view, chat, typing) {
			return words + " " + e.Say().T("show %s goes to its board.", i.Match.Code)
		}
		e.At(seat.ID())
		return words + " " + e.Say().T("You are at its board now.")
	}})
}
