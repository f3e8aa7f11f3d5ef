// Package prompt tells the user of the line mode what happens: in the match that it is at, in the lists, and who comes in.
package prompt

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"
	"unicode"

	"ludoteca/lobby"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/match"
	"ludoteca/lobby/news"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// A Match is the match that a line mode is at: the last one that a command named. nil is none, and stays so.
type Match struct {
	changed chan struct{} // holds one when there is another match

	mu   sync.Mutex // guards what follows: a command that follows a match runs beside the prompt
	seat *seats.Seat
	ref  lobby.Ref
	view *lobby.View // as it was when the match was named; nil: it couldn't be read
	chat *chat.View  // likewise

	shown []lobby.OpenOffer // to the user, when the match was printed last or news of it

	ended storage.MatchID // of which the user was told last that it is over, as the current match; "" for none
}

// NewMatch returns a Match that is at none yet.
func NewMatch() *Match { return &Match{changed: make(chan struct{}, 1)} }

// Set makes the match that a command has named the current one. Its later events and chat lines are news.
func (m *Match) Set(ctx context.Context, seat *seats.Seat, ref lobby.Ref) {
	if m == nil || m.is(seat, ref) {
		return
	}
	view, _ := seat.Now(ctx)
	chat, _ := seat.Chat(ctx, 0)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seat, m.ref, m.view, m.chat, m.shown = seat, ref, view, chat, nil
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// is reports whether a match is the current one already, and keeps its code if that is new.
func (m *Match) is(seat *seats.Seat, ref lobby.Ref) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	same := m.seat != nil && m.seat.ID() == seat.ID() && m.seat.User() == seat.User()
	if same {
		m.ref.Code = cmp.Or(ref.Code, m.ref.Code)
	}
	return same
}

// Show notes which offers the user has been shown, if the match is the current one.
func (m *Match) Show(id storage.MatchID, open []lobby.OpenOffer) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ref.ID == id {
		m.shown = open
	}
}

// OffersShown returns the offers that the user was shown last at a match; none if that isn't the current one.
func (m *Match) OffersShown(id storage.MatchID) []lobby.OpenOffer {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ref.ID != id {
		return nil
	}
	return m.shown
}

// now returns the match. changed holds none then.
func (m *Match) now() (seat *seats.Seat, view *lobby.View, chat *chat.View) {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.changed:
	default:
	}
	return m.seat, m.view, m.chat
}

// Code returns what commands call the match; "" if there is none.
func (m *Match) Code() string {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return cmp.Or(m.ref.Code, string(m.ref.ID))
}

// IsCode reports whether a line begins with the code or the id of a match, rather than with a word of the same letters: the first word is the
// code of the current match, has a digit, or is in capitals. So users don't send the code of another match as chat by mistake.
func (m *Match) IsCode(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	upper := strings.ToUpper(word)
	if upper == strings.ToUpper(m.Code()) {
		return true
	}
	return (len(word) == match.CodeLength || len(word) == match.CodeLength+2) &&
		!strings.ContainsFunc(upper, func(r rune) bool { return !strings.ContainsRune(match.CodeLetters, r) }) &&
		(word == upper || strings.ContainsFunc(word, unicode.IsDigit))
}

// Tell says what happens at the match and what people write there, whichever it is by then, until ctx ends.
func (m *Match) Tell(ctx context.Context, say wording.Words, event func(Line), talk func(string)) {
	for ctx.Err() == nil {
		m.tellOne(ctx, say, event, talk)
	}
}

// tellOne is Tell for the present match, until there is another one.
func (m *Match) tellOne(ctx context.Context, say wording.Words, event func(Line), talk func(string)) {
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	defer telling.Wait()
	defer cancel()
	seat, view, chat := m.now()
	if view != nil {
		tell := func(words string, shown []lobby.OpenOffer) {
			event(Line{words, func() { m.Show(seat.ID(), shown) }})
		}
		telling.Go(func() {
			if tellMatch(ctx, say, seat, view, tell) {
				m.end(seat.ID())
			}
		})
	}
	if chat != nil {
		telling.Go(func() { tellChat(ctx, say, seat, chat, talk) })
	}
	select {
	case <-m.changed:
	case <-ctx.Done():
	}
}

// end notes that the user knows that a match is over.
func (m *Match) end(id storage.MatchID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = id
}

// tells reports whether the news of the match tell what happens in a match, or have told that it is over: the lists may show an end after
// the match itself does, and by then the user may be at the next match.
func (m *Match) tells(id storage.MatchID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return id == m.ref.ID || id == m.ended
}

// TellArrivals calls tell whenever players whom the user follows arrive, until ctx ends.
func TellArrivals(ctx context.Context, l *lobby.Lobby, say wording.Words, who lobby.User, tell func(string)) {
	arrivals, leave := l.Relations.Arrivals(who)
	defer leave()
	for {
		names, err := arrivals.Next(ctx)
		if err != nil {
			return
		}
		for _, i := range news.ArrivalsOf(names, time.Now()) {
			tell(say.News(i, l.Game))
		}
	}
}

// A Line is a line for the prompt.
type Line struct {
	Words   string
	Printed func() // is called when the line is printed; may be nil
}
