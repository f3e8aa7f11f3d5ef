// Package news says what has happened to one user: in their matches and with their challenges, from one state of the lists to the next; in one
// match, from one view to the next; and to the bulletin. Screens, the prompt, the bell, notifications and the command wait read it.
//
//	yours.go     what the lists of a user have that they had not before
//	reader.go    the same, from the feed of the lists
//	match.go     what happens between two views of a match, and what its end means
//	events.go    what happens in the events of the user
//	bulletin.go  what operators announce, and whether the store can be reached
package news

import (
	"time"

	"ludoteca/games"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/match"
	"ludoteca/lobby/tournaments"
	"ludoteca/storage"
)

// A Kind says what has happened, in a word that scripts read. Kinds are never renamed.
type Kind string

// The kinds of news. The comments say from which source they come, and whom By names.
const (
	YourMove   Kind = "your_move" // lists, views: a match waits for the user's move; By is the opponent
	Begins     Kind = "begins"    // lists, views: an opponent has taken the free seat of the user's match
	Paired     Kind = "paired"    // lists: the user plays a match of a tournament against By; see lists.Mine.Tournament
	Offered    Kind = "offer"     // lists, views: the other side offers a draw or a takeback; see Item.Offer
	Challenged Kind = "challenge" // lists: By challenges the user
	Rematch    Kind = "rematch"   // lists, views: By asks the user for a rematch
	Ended      Kind = "ended"     // lists: a match or an offer is in them no more; End says what that means

	Over      Kind = "over"      // views: a match has ended
	Declined  Kind = "declined"  // ends: By has declined the user's challenge or rematch; views: a draw or a takeback
	Lapsed    Kind = "lapsed"    // ends: a challenge or a rematch was not answered, or was called off
	Withdrawn Kind = "withdrawn" // ends: By has withdrawn the challenge or the rematch that they offered the user
	Untaken   Kind = "untaken"   // ends: no player has taken the user's open offer in time

	Moved     Kind = "moved"      // views: By has made Item.Move
	TakenBack Kind = "taken_back" // views: moves were taken back, and the user had no part in it
	Left      Kind = "left"       // views: By, the user's opponent, has gone
	Returned  Kind = "returned"   // views: By has come back
	Paused    Kind = "paused"     // views: the clock stands for Item.Pause: By is on vacation, or both sides have agreed to adjourn
	Resumed   Kind = "resumed"    // views: Item.Pause has ended before its time

	Told      Kind = "told"      // By has written Item.Text to the user, outside of matches
	Arrived   Kind = "arrived"   // By, whom the user follows, has come
	Announced Kind = "announced" // the operator announces Item.Text
	CutOff    Kind = "cut_off"   // the node can't reach the store; see Item.Full
	Reached   Kind = "reached"   // it can again
)

// An Item is one thing that has happened. Which fields are set depends on its kind.
type Item struct {
	Kind  Kind
	Match match.Ref
	By    storage.Occupant // the other user whom it is about; Free if there is none
	At    time.Time        // by the clock of events

	Mine      *lists.Mine  // of an item from the lists about a match of the user
	Challenge *lists.Offer // of Challenged and Rematch, from the lists
	Invited   bool         // of Ended: the user was invited to the match and had no seat in it

	View   *match.View    // of an item from views: the one in which it is seen
	Before games.Position // of Moved: the position in which the move was made
	Move   games.Move     // of Moved
	Side   games.Side     // of By in the match, of an item from views
	Offer  string         // the kind of offer, of Offered and Declined: matches.OfferDraw, matches.OfferTakeback, match.OfferRematch, match.OfferChallenge
	Pause  match.Pause    // of Paused and Resumed
	Own    bool           // it follows from what the user did in some session: no other user has done anything since

	Event *tournaments.View // of an item about an event
	Round int               // of EventRound
	Left  time.Duration     // of EventSoon: until it begins
	Place int               // of EventOver; 0: none

	Text string // of Announced and Told; not cleaned
	Full bool   // of CutOff and Reached: because the store is, or was, full
}

// WantsAct reports whether an item asks the user to do something: to move, or to answer.
func (i Item) WantsAct() bool {
	switch i.Kind {
	case YourMove, Paired, Offered, Challenged, Rematch, EventRound, EventSoon:
		return true
	}
	return false
}

// OfYours reports whether an item is about a match, or an offer, that the user has a seat in.
func (i Item) OfYours() bool {
	switch i.Kind {
	case YourMove, Begins, Paired, Offered, Over, Declined, Untaken:
		return true
	case Lapsed:
		return !i.Invited
	}
	return false
}

// OfTournaments reports whether an item calls the user to a match of a tournament.
func (i Item) OfTournaments() bool { return i.Kind == Paired }

// OfInvitations reports whether an item invites the user to a match.
func (i Item) OfInvitations() bool { return i.Kind == Challenged || i.Kind == Rematch }

// ArrivalsOf returns an item for each of the followed players who have come.
func ArrivalsOf(names []string, now time.Time) (items []Item) {
	for _, name := range names {
		items = append(items, Item{Kind: Arrived, By: storage.Occupant{Kind: storage.Person, Name: name}, At: now})
	}
	return items
}
