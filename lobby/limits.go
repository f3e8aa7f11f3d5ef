package lobby

import "time"

// Limits bound what people can make the club do and keep. A zero field stands for its value in DefaultLimits.
type Limits struct {
	OpenOffers      int // untaken offers of one person at a time
	Unfinished      int // unfinished matches of one player, offers included
	GuestUnfinished int // the same for a guest
	Exhibitions     int // unfinished matches between two computer players, per person who opened them
	Matches         int // unfinished matches in the whole club
	Plies           int // moves in one match: a longer one is drawn, reason length_limit
	Takebacks       int // in one match; they lengthen its log beyond its moves

	AwayOffer   time.Duration // how long a public offer outlives its owner's last connection
	AwayGuest   time.Duration // how long a guest may be gone before he has left his matches
	PrivateWait time.Duration // how long a private match waits for its second player
	Unwatched   time.Duration // how long a match between two computer players goes on with nobody watching
	GiveWay     time.Duration // how long nothing has happened in a match that is called off to make room in a full club

	WrongGuesses int           // codes that one person or address may guess wrong in a row
	GuessEvery   time.Duration // and how long it takes to be given one more guess

	Here        int           // names in the list of who is here; the count is always right
	Listed      int           // open offers, and running matches, in the lists
	Leaderboard int           // lines of one leaderboard
	BoardAge    time.Duration // how old a leaderboard may be
	ListEvery   time.Duration // the shortest time between two new lists
	PublicEvery time.Duration // the same for what everybody sees of them
	RunningPly  time.Duration // the longest time until a move shows in the list of running matches, and who comes or goes in that of who is here
	CachedPlies int           // moves of finished matches that are kept in memory, about
	History     int           // matches in one answer of History, which a reader may ask to go on; at most 1000

	Studies     int           // matches that wait to be analysed
	StudyLinger time.Duration // how long an analysis goes on when nobody asks for it any more
}

// DefaultLimits are the bounds of a club on one small machine.
func DefaultLimits() Limits {
	return Limits{
		OpenOffers:      20,
		Unfinished:      100,
		GuestUnfinished: 10,
		Exhibitions:     2,
		Matches:         20_000,
		Plies:           30_000,
		Takebacks:       300,
		AwayOffer:       5 * time.Minute,
		AwayGuest:       5 * time.Minute,
		PrivateWait:     30 * 24 * time.Hour,
		Unwatched:       5 * time.Minute,
		GiveWay:         30 * 24 * time.Hour,
		WrongGuesses:    10,
		GuessEvery:      6 * time.Second,
		Here:            200,
		Listed:          200,
		Leaderboard:     500,
		BoardAge:        5 * time.Second,
		ListEvery:       100 * time.Millisecond,
		PublicEvery:     500 * time.Millisecond,
		RunningPly:      time.Second,
		CachedPlies:     20_000,
		History:         1000,
		Studies:         64,
		StudyLinger:     time.Minute,
	}
}

// orDefault fills what is zero.
func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	for _, f := range []struct{ is, def *int }{
		{&l.OpenOffers, &d.OpenOffers}, {&l.Unfinished, &d.Unfinished}, {&l.GuestUnfinished, &d.GuestUnfinished},
		{&l.Exhibitions, &d.Exhibitions}, {&l.Matches, &d.Matches}, {&l.Plies, &d.Plies}, {&l.Takebacks, &d.Takebacks},
		{&l.WrongGuesses, &d.WrongGuesses}, {&l.Here, &d.Here}, {&l.Listed, &d.Listed},
		{&l.Leaderboard, &d.Leaderboard}, {&l.CachedPlies, &d.CachedPlies}, {&l.History, &d.History},
		{&l.Studies, &d.Studies},
	} {
		if *f.is == 0 {
			*f.is = *f.def
		}
	}
	for _, f := range []struct{ is, def *time.Duration }{
		{&l.AwayOffer, &d.AwayOffer}, {&l.AwayGuest, &d.AwayGuest}, {&l.PrivateWait, &d.PrivateWait},
		{&l.Unwatched, &d.Unwatched}, {&l.GiveWay, &d.GiveWay}, {&l.GuessEvery, &d.GuessEvery}, {&l.BoardAge, &d.BoardAge},
		{&l.ListEvery, &d.ListEvery}, {&l.PublicEvery, &d.PublicEvery}, {&l.RunningPly, &d.RunningPly}, {&l.StudyLinger, &d.StudyLinger},
	} {
		if *f.is == 0 {
			*f.is = *f.def
		}
	}
	return l
}
