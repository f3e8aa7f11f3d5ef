// Package prompt tells the user of the line mode what happens: in the match that it is at, in the lists, at a review that another person looks at
// too, and who comes in.
package prompt

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"
	"unicode"

	"ludoteca/games"
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
	ahead   chan struct{} // holds one when there is another premove
	moved   chan struct{} // holds one when Busy may have changed

	mu   sync.Mutex // guards what follows: a command that follows a match runs beside the prompt
	seat *seats.Seat
	ref  lobby.Ref
	view *lobby.View // up to which the user has been told; nil: it couldn't be read when the match was named
	chat *chat.View  // likewise

	shown []lobby.OpenOffer // to the user, when the match was printed last or news of it

	ended storage.MatchID // of which the user was told last that it is over, as the current match; "" for none

	say     wording.Words
	study   Study  // that the user is at instead; nil: none
	manner  Manner // how things are told
	refused error  // why the move that the user tried last was refused; nil: none was
	expects bool   // a computer player is about to answer the user's move

	premove games.Move // that the user has entered ahead; "" for none
}

// NewMatch returns the current match of a line mode that speaks a language: none yet.
func NewMatch(say wording.Words) *Match {
	return &Match{say: say, changed: make(chan struct{}, 1), ahead: make(chan struct{}, 1), moved: make(chan struct{}, 1)}
}

// Say returns the language of the line mode.
func (m *Match) Say() wording.Words {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.say
}

// Speak changes the language to the one with a code.
func (m *Match) Speak(code string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.say = m.say.In(code)
	m.change()
}

// ReadIn changes the time zone in which the user reads times, by its IANA name.
func (m *Match) ReadIn(zone string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.say = m.say.InZone(zone)
	m.change()
}

// Set makes the match that a command has named the current one. Its later events and chat lines are news.
func (m *Match) Set(ctx context.Context, seat *seats.Seat, ref lobby.Ref) {
	if m == nil || m.is(seat, ref) {
		return
	}
	view, _ := seat.Now(ctx)
	chat, _ := seat.Chat(ctx, 0)
	m.mu.Lock()
	before := m.study
	m.set(seat, ref, view, chat)
	m.mu.Unlock()
	left(before)
}

// setIfNone is Set for a user who is at no match and no study. It reports whether that is so.
func (m *Match) setIfNone(ctx context.Context, seat *seats.Seat, ref lobby.Ref) bool {
	if m == nil {
		return false
	}
	view, _ := seat.Now(ctx)
	chat, _ := seat.Chat(ctx, 0)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seat != nil || m.study != nil {
		return false
	}
	m.set(seat, ref, view, chat)
	return true
}

// setForEvent makes the match of an event the current one, unless the user is at a study, or has half typed a line at another match that goes on.
// It reports whether it has.
func (m *Match) setForEvent(seat *seats.Seat, ref lobby.Ref, view *lobby.View, chat *chat.View, typing bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.study != nil || typing && m.seat != nil && m.view != nil && !m.view.Over {
		return false
	}
	m.set(seat, ref, view, chat)
	return true
}

// set makes a match the current one, up to a view and a chat that the user is told. The caller holds mu.
func (m *Match) set(seat *seats.Seat, ref lobby.Ref, view *lobby.View, chat *chat.View) {
	m.seat, m.ref, m.view, m.chat, m.shown = seat, ref, view, chat, nil
	m.study, m.refused, m.expects, m.premove = nil, nil, false, ""
	m.change()
}

// change wakes Tell. The caller holds mu.
func (m *Match) change() {
	m.move()
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// move says that Busy may have changed.
func (m *Match) move() {
	select {
	case m.moved <- struct{}{}:
	default:
	}
}

// Busy reports whether the user is at a study, or at a match that goes on.
func (m *Match) Busy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.study != nil || m.seat != nil && (m.view == nil || !m.view.Over)
}

// Leave makes no match and no study the current one. It reports whether there was one.
func (m *Match) Leave() (was bool) {
	m.mu.Lock()
	before := m.study
	was = m.seat != nil || before != nil
	m.seat, m.ref, m.view, m.chat, m.shown, m.study, m.refused = nil, lobby.Ref{}, nil, nil, nil, nil, nil
	m.premove = ""
	m.change()
	m.mu.Unlock()
	left(before)
	return was
}

// left tells a study that the user has gone elsewhere, if it wants to know that. The caller doesn't hold mu.
func left(s Study) {
	if s, ok := s.(interface{ Left() }); ok {
		s.Left()
	}
}

// Begin has the user be at a study instead of a match.
func (m *Match) Begin(s Study) {
	m.Leave()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.study = s
	m.move()
}

// Study returns the study that the user is at; nil if there is none.
func (m *Match) Study() Study {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.study
}

// Name is what stands in the prompt: the game of the current match or study, or the name of the club.
func (m *Match) Name() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.study != nil:
		return m.study.Name()
	case m.view != nil:
		return m.view.Game.About().ID
	}
	return "ludoteca"
}

// View returns the current match as far as the user has been told of it; nil if there is none.
func (m *Match) View() *lobby.View {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.view
}

// Manner returns how things are told; SetManner changes it.
func (m *Match) Manner() Manner {
	if m == nil {
		return Manner{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.manner
}

// SetManner changes how things are told.
func (m *Match) SetManner(to Manner) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.manner = to
}

// Refuse keeps why the last move was refused; nil: it was not.
func (m *Match) Refuse(err error) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = err
}

// Refused returns why the move that the user tried last was refused; nil if it was not.
func (m *Match) Refused() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused
}

// Expect records that a computer player is about to answer the user's move. Expects reports that once.
func (m *Match) Expect() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expects = true
}

// Expects reports whether a computer player is about to answer, and forgets it.
func (m *Match) Expects() (soon bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	soon, m.expects = m.expects, false
	return soon
}

// Seat returns the user's handle to the current match; nil if there is none.
func (m *Match) Seat() *seats.Seat {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seat
}

// is reports whether a match is the current one already, and keeps its code if that is new.
func (m *Match) is(seat *seats.Seat, ref lobby.Ref) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	same := m.seat != nil && m.study == nil && m.seat.ID() == seat.ID() && m.seat.User() == seat.User()
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
func (m *Match) now() (seat *seats.Seat, view *lobby.View, chat *chat.View, say wording.Words) {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.changed:
	default:
	}
	return m.seat, m.view, m.chat, m.say
}

// Code returns what commands call the match; "" if there is none.
func (m *Match) Code() string {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.study != nil {
		return m.study.Code()
	}
	return cmp.Or(m.ref.Code, string(m.ref.ID))
}

// IsCode reports whether a line begins with the code or the id of a match, rather than with a word of the same letters: the first word is the
// code of the current match, has a digit, or is in capitals. So users don't send the code of another match as chat by mistake.
func (m *Match) IsCode(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	upper := strings.ToUpper(word)
	if word != "" && upper == strings.ToUpper(m.Code()) {
		return true
	}
	return (len(word) == match.CodeLength || len(word) == match.CodeLength+2) &&
		!strings.ContainsFunc(upper, func(r rune) bool { return !strings.ContainsRune(match.CodeLetters, r) }) &&
		(word == upper || strings.ContainsFunc(word, unicode.IsDigit))
}

// Tell says what happens at the match and what people write there, whichever it is by then, until ctx ends. At the end of the match it says what
// that has made of the user's practice rating.
func (m *Match) Tell(ctx context.Context, practice Practice, event func(Line), talk func(string)) {
	for ctx.Err() == nil {
		m.tellOne(ctx, practice, event, talk)
	}
}

// tellOne is Tell for the present match, until there is another one.
func (m *Match) tellOne(ctx context.Context, practice Practice, event func(Line), talk func(string)) {
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	defer telling.Wait()
	defer cancel()
	seat, view, chat, say := m.now()
	if view != nil {
		tell := func(words string, shown []lobby.OpenOffer) {
			event(Line{Words: words, Printed: func() { m.Show(seat.ID(), shown) }})
		}
		telling.Go(func() {
			if tellMatch(ctx, say, m.Manner, seat, view, tell, m.told) {
				m.end(seat.ID())
				if !view.Over {
					tellPractice(ctx, practice, say, seat, func(words string) { event(Line{Words: words}) })
				}
			}
		})
	}
	if seat != nil {
		telling.Go(func() {
			m.playPremoves(ctx, say, seat, func(words string) { event(Line{Words: words}) })
		})
	}
	if chat != nil {
		telling.Go(func() { tellChat(ctx, say, seat, chat, talk, m.heard) })
	}
	select {
	case <-m.changed:
	case <-ctx.Done():
	}
}

// end notes that the user knows that a match is over.
// told records up to which view of the current match the user has been told what happened.
func (m *Match) told(v *lobby.View) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ref.ID == v.ID && m.view != nil {
		m.view = v
		m.move()
	}
}

// heard records up to which view of the chat of a match the user has been told.
func (m *Match) heard(id storage.MatchID, seen *chat.View) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ref.ID == id && m.chat != nil {
		m.chat = seen
	}
}

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
func TellArrivals(ctx context.Context, l *lobby.Lobby, say func() wording.Words, who lobby.User, tell func(string)) {
	arrivals, leave := l.Relations.Arrivals(who)
	defer leave()
	for {
		names, err := arrivals.Next(ctx)
		if err != nil {
			return
		}
		for _, i := range news.ArrivalsOf(names, time.Now()) {
			tell(say().News(i, l.Game))
		}
	}
}

// A Line is a line for the prompt.
type Line struct {
	Words   string
	Printed func() // is called when the line is printed; may be nil

	// Make makes the words when the line is printed, if it isn't nil. typing reports whether the user has half typed a line.
	Make func(typing bool) string
}
