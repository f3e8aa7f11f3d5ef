package lobby

import (
	"time"

	"ludoteca/lobby/accounts"
	"ludoteca/lobby/analyses"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/operators"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/lobby/thinking"
	chatstore "ludoteca/storage/chat"
	operatorstore "ludoteca/storage/operators"
)

// What callers of the lobby see of the packages below.
type (
	User     = match.User
	Ref      = match.Ref
	View     = match.View
	Summary  = match.Summary
	Strength = match.Strength
	Reply    = match.Reply
	Rematch  = match.Rematch

	OpenOffer      = match.OpenOffer
	OfferRef       = match.OfferRef
	OfferWaitError = match.OfferWaitError

	Hint        = live.Hint
	Kinds       = registry.Kinds
	Level       = thinking.Level
	LevelPlayer = thinking.Player
	Decision    = thinking.Decision
	Lender      = thinking.Lender
	LentLoad    = thinking.LentLoad

	ClockSetting = clock.Setting

	Presence   = atboard.Presence
	Spectators = atboard.Spectators
	Nearness   = atboard.Nearness

	AnalysisProgress = analyses.Progress
	MissedWin        = analyses.MissedWin
)

// The kinds of clocks; see clock.Kind.
const (
	NoClock        = clock.None
	Fischer        = clock.Fischer
	Correspondence = clock.Correspondence
)

// The kinds of offers that are matches of their own; see match.OpenOffer.
const (
	OfferRematch   = match.OfferRematch
	OfferChallenge = match.OfferChallenge
)

// ParseClock reads the text of a clock: none, 5+3 or 3d. The error wraps ErrClock.
func ParseClock(text string) (ClockSetting, error) { return clock.Parse(text) }

// The states of a computer player's reply; see match.Reply.
const (
	NoReply  = match.NoReply
	Queued   = match.Queued
	Thinking = match.Thinking
	Paused   = match.Paused
)

// How near a user is to a board; see atboard.Nearness.
const (
	Gone = atboard.Gone
	Away = atboard.Away
	Here = atboard.Here
)

// The stages of an analysis; see analyses.Stage.
const (
	AnalysisWaiting = analyses.Waiting
	AnalysisWorking = analyses.Working
	AnalysisReady   = analyses.Ready
)

// AnyPly is what Seat.Move takes when its caller does not care how many moves have been made.
const AnyPly = match.AnyPly

// AnalysisStats counts what happens to analyses.
type AnalysisStats = analyses.Stats

// The rooms of a match; see chat.Room.
const (
	PlayersRoom    = chatstore.PlayersRoom
	SpectatorsRoom = chatstore.SpectatorsRoom
)

// Greetings returns the ids of the greetings that need no typing, in the order in which they are offered.
func Greetings() []string { return chat.Greetings() }

// What people do to play; see package seats.
type (
	Seat     = seats.Seat
	Spec     = seats.Spec
	Choice   = seats.Choice
	Opponent = seats.Opponent
	Stake    = standings.Stake
)

// The choices of a side; see seats.Choice.
const (
	RandomSide = seats.RandomSide
	PlayFirst  = seats.PlayFirst
	PlaySecond = seats.PlaySecond
)

// Sessions are ended by what operators and players do; see accounts.SessionEnder.
type (
	Sessions   = accounts.SessionEnder
	NoSessions = accounts.NoSessions
)

// Whom players follow and block; see package relations.
const (
	Following = relations.Following
	Blocked   = relations.Blocked
)

// A Related is a player whom another one follows or blocks; see package relations.
type Related = relations.Related

// Types of package operators.
type (
	Operator = operators.Operator
	Dossier  = operators.Dossier
)

// Forever is a time that never comes: the end of a permanent mute.
var Forever = operators.Forever

// AuditEnds is operators.AuditEnds.
func AuditEnds(entries []operatorstore.AuditEntry, now time.Time) []time.Time {
	return operators.AuditEnds(entries, now)
}
