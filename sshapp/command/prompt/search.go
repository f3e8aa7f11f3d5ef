package prompt

import (
	"context"
	"errors"
	"sync"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/news"
	"ludoteca/lobby/quick"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// A Search is the search for a quick match of a line mode: at most one at a time. While the user is at a match that goes on, or at a study, they are
// away (quick.Search). Then they are called, and go when they leave the board.
type Search struct {
	seek    Seek
	match   *Match
	changed chan struct{} // holds one when there is another search, or none any more

	mu     sync.Mutex // guards what follows
	now    quick.Search
	stop   context.CancelFunc // ends now
	who    lobby.User         // of now
	called bool               // an opponent is found, and the user is called
}

// Seek begins a search that goes on after the command that asked for it, until stop is called or the line mode ends.
type Seek func(who lobby.User, w quick.Wanted) (s quick.Search, stop context.CancelFunc, err error)

// NewSearch returns no search yet, of the user of a line mode with a current match.
func NewSearch(seek Seek, m *Match) *Search {
	return &Search{seek: seek, match: m, changed: make(chan struct{}, 1)}
}

// Begin looks for a match. An earlier search ends.
func (s *Search) Begin(who lobby.User, w quick.Wanted) error {
	s.End()
	next, stop, err := s.seek(who, w)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.stop, s.who = next, stop, who
	next.SetAway(s.match.Busy())
	s.change()
	return nil
}

// End ends the search. It reports whether there was one.
func (s *Search) End() (was bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end()
}

// end is End. The caller holds mu.
func (s *Search) end() (was bool) {
	if was = s.now != nil; was {
		s.stop()
		s.now, s.stop, s.called = nil, nil, false
		s.change()
	}
	return was
}

// change wakes Tell. The caller holds mu.
func (s *Search) change() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Come says that the user comes: they have left the board. The match may have begun already, for that alone is heard too.
func (s *Search) Come() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.called {
		s.now.SetAway(false)
	}
}

// Called reports whether the user is called.
func (s *Search) Called() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.called
}

// settle tells the search whether the user is away.
func (s *Search) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		s.now.SetAway(s.match.Busy())
	}
}

// A Finder tells one caller what their search comes to.
type Finder struct {
	Say   func() wording.Words // the language, which may change
	Lobby *lobby.Lobby
	Match *Match                   // which becomes the match that is found
	At    func(id storage.MatchID) // is called when it does, by the code that prints the line
	Tell  func(Line)
}

// Tell tells what the search comes to, whichever it is by then, until ctx ends.
func (s *Search) Tell(ctx context.Context, f Finder) {
	var following sync.WaitGroup
	defer following.Wait()
	following.Go(func() {
		for {
			select {
			case <-s.match.moved:
				s.settle()
			case <-ctx.Done():
				return
			}
		}
	})
	for ctx.Err() == nil {
		s.tellOne(ctx, f)
	}
}

// tellOne is Tell for the present search, until there is another one.
func (s *Search) tellOne(ctx context.Context, f Finder) {
	s.mu.Lock()
	select {
	case <-s.changed:
	default:
	}
	now, who := s.now, s.who
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	defer telling.Wait()
	defer cancel()
	if now != nil {
		telling.Go(func() { s.tellSearch(ctx, f, now, who) })
	}
	select {
	case <-s.changed:
		s.mu.Lock()
		s.change() // for the next tellOne
		s.mu.Unlock()
	case <-ctx.Done():
	}
}

// tellSearch tells what a search comes to.
func (s *Search) tellSearch(ctx context.Context, f Finder, search quick.Search, who lobby.User) {
	var call quick.Call
	for after := uint64(0); ; {
		l, number, err := search.Next(ctx, after)
		switch {
		case errors.Is(err, context.Canceled):
			return
		case err != nil:
			if s.over(search) {
				f.Tell(Line{Words: text.Sentence(f.Say().Error(err))})
			}
			return
		case l.Match.ID != "":
			if s.over(search) {
				f.begins(ctx, who, l.Match)
			}
			return
		}
		before := call
		after, call = number, l.Call
		s.setCalled(search, call.You)
		none := quick.Call{}
		switch {
		case call != none && (before == none || call.You && !before.You):
			words := f.Say().QuickCall(call, f.Lobby.Game)
			if call.You {
				words += ". " + f.Say().T("Type go to go there.")
			}
			f.Tell(Line{Words: words})
		case call == none && before != none:
			f.Tell(Line{Words: f.Say().T("Your opponent has not come. The club goes on looking for you.")})
		}
	}
}

// over notes that a search is over. It reports whether it was the present one.
func (s *Search) over(search quick.Search) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != search {
		return false
	}
	s.stop() // of which the user has learned: a match that was found goes on
	s.now, s.stop, s.called = nil, nil, false
	return true
}

// setCalled notes whether a search calls the user.
func (s *Search) setCalled(search quick.Search, called bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == search {
		s.called = called
	}
}

// begins tells that the match begins, and brings the caller to its board.
func (f Finder) begins(ctx context.Context, who lobby.User, ref lobby.Ref) {
	seat, err := f.Lobby.Seats.At(ctx, who, ref)
	if err != nil {
		f.Tell(Line{Words: text.Sentence(f.Say().Error(err))})
		return
	}
	view, err := seat.Now(ctx)
	if err != nil {
		f.Tell(Line{Words: text.Sentence(f.Say().Error(err))})
		return
	}
	chat, _ := seat.Chat(ctx, 0) // without it the prompt tells less
	side, _ := view.Side(who)
	mine := &lists.Mine{YourTurn: view.YourTurn(who)}
	words := f.Say().News(news.Item{Kind: news.Begins, Match: ref, By: view.Seats[side.Other()], Mine: mine}, f.Lobby.Game)
	f.Tell(Line{Make: func(typing bool) string {
		if !f.Match.setForEvent(seat, ref, view, chat, typing) {
			return words + " " + f.Say().T("show %s goes to its board.", ref.Code)
		}
		f.At(seat.ID())
		return words + " " + f.Say().T("You are at its board now.")
	}})
}
