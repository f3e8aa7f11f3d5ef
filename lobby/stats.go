package lobby

import (
	"sync/atomic"

	"ludoteca/storage"
)

// Stats counts what happens in a club while the program runs. All fields only grow. The zero value is ready to use.
type Stats struct {
	Opened           atomic.Int64 // matches, offers included
	Ended            atomic.Int64 // matches, offers that were taken back included
	Moves            atomic.Int64 // played by people
	BotMoves         atomic.Int64 // played by computer players
	Panics           atomic.Int64 // in the rules of a game, caught
	Analysed         atomic.Int64 // matches of which an analysis was made
	AnalysisFailures atomic.Int64 // analyses that could not be made or kept
	Failed           atomic.Int64 // computer players that found no move, panics included, and resigned
}

// count takes in what has been added to a log.
func (s *Stats) count(before, now *state) {
	for _, e := range now.events[min(len(before.events), len(now.events)):] {
		switch e.Kind {
		case storage.Opened:
			s.Opened.Add(1)
		case storage.Ended:
			s.Ended.Add(1)
		case storage.Moved:
			if now.seats[e.Seat.Side()].Kind == storage.Bot {
				s.BotMoves.Add(1)
			} else {
				s.Moves.Add(1)
			}
		}
	}
}

// A Load is what a club has to carry at one moment.
type Load struct {
	Here     int // people, each counted once
	Matches  int // unfinished ones, offers included
	Offers   int // public offers that nobody has taken
	Thinking int // computer players that look for a move
	Studies  int // matches that wait to be analysed, the one included that is being worked on
	Waiting  int // computer players that wait for a worker, those of matches without people included
}

// Load returns what the club carries now.
func (l *Lobby) Load() Load {
	var load Load
	l.presence.mu.Lock()
	load.Here = len(l.presence.here)
	l.presence.mu.Unlock()
	l.matches.mu.Lock()
	load.Matches, load.Offers = len(l.matches.byID), len(l.matches.offers)
	l.matches.mu.Unlock()
	load.Thinking, load.Waiting = l.house.scheduler.Load()
	load.Studies = l.studies.load()
	return load
}
