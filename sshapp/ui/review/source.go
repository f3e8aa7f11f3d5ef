package review

import (
	"context"
	"errors"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// An opener finds what a review steps through.
type opener interface {
	// read returns the match as the user may see it, with its source.
	read(ctx context.Context, from reading) (timelineMsg, error)
}

// A source is where a review has its match from: the matches of the club, or the studies of the user.
type source interface {
	opener

	// analysis returns the state of the analysis of the match as soon as it is newer than after.
	analysis(ctx context.Context, from reading, v *lobby.View, after uint64) (*lobby.AnalysisProgress, error)

	// title names the match: for narrow windows, or with its options.
	title(e *screen.Env, v *lobby.View, narrow bool) string

	// shared returns how another person gets to the match, or why nobody else may look at it.
	shared() (lobby.Ref, error)
}

// errOwnStudy says why nobody else may look at a study.
var errOwnStudy = boardpage.Reason(text.T("This is a study of yours, which nobody else sees."))

// A reading is a user of the club who reads a match, from a Cmd.
type reading struct {
	club   *screen.Lobby
	who    lobby.User
	origin origin.Origin
}

func readingOf(e *screen.Env) reading { return reading{e.Lobby, e.Who, e.Origin} }

// A clubMatch is a match of the club, as the player came by it.
type clubMatch struct{ ref lobby.Ref }

func (m clubMatch) read(ctx context.Context, from reading) (timelineMsg, error) {
	seat, err := from.club.At(ctx, from.who, m.ref)
	if err != nil {
		return timelineMsg{}, err
	}
	v, err := seat.Now(ctx)
	if err != nil {
		return timelineMsg{}, err
	}
	r, err := NewTimeline(v)
	if err != nil || !v.Over {
		return timelineMsg{source: m, view: v, timeline: r}, err
	}
	f, err := seat.Record(ctx)
	if err != nil {
		return timelineMsg{}, err
	}
	return timelineMsg{source: m, view: v, timeline: r, spent: f.Spent(), practice: practised(ctx, from, v)}, nil
}

// practised returns what a finished match made of the practice rating of the session's player; nil if it did not count, or that isn't known.
func practised(ctx context.Context, from reading, v *lobby.View) *learning.PracticePoint {
	if from.who.Player() == "" || v.Seats[games.First].Kind != storage.Bot && v.Seats[games.Second].Kind != storage.Bot {
		return nil
	}
	if p, ok, err := from.club.Practice.Change(ctx, from.who, v.Game.About().ID, v.ID); ok && err == nil {
		return &p
	}
	return nil
}

func (m clubMatch) analysis(ctx context.Context, from reading, v *lobby.View, after uint64) (*lobby.AnalysisProgress, error) {
	return from.club.Analysis(ctx, from.who, v.ID, after)
}

func (m clubMatch) title(e *screen.Env, v *lobby.View, narrow bool) string {
	return describe.Title(e, v, narrow)
}

func (m clubMatch) shared() (lobby.Ref, error) { return m.ref, nil }

// A study is a study of the user, by its id.
type study struct{ id string }

func (s study) read(ctx context.Context, from reading) (timelineMsg, error) {
	st, err := from.club.Studies.Study(ctx, from.who, s.id)
	if err != nil {
		return timelineMsg{}, err
	}
	v, err := from.club.Studies.View(st)
	if err != nil {
		return timelineMsg{}, err
	}
	r, err := NewTimeline(v)
	return timelineMsg{source: s, view: v, timeline: r}, err
}

func (s study) analysis(ctx context.Context, from reading, v *lobby.View, after uint64) (*lobby.AnalysisProgress, error) {
	return from.club.Analyzer.Study(ctx, from.who, v, after)
}

func (s study) title(e *screen.Env, v *lobby.View, narrow bool) string {
	return describe.StudyTitle(e, v, narrow)
}

func (s study) shared() (lobby.Ref, error) { return lobby.Ref{}, errOwnStudy }

// A named opens what a user has typed: the id of a study, or the id or code of a match.
type named struct{ typed string }

func (n named) read(ctx context.Context, from reading) (timelineMsg, error) {
	msg, err := study{n.typed}.read(ctx, from)
	if !errors.Is(err, lobby.ErrNoSuchMatch) {
		return msg, err
	}
	ref, err := from.club.Find(ctx, from.who, from.origin, n.typed)
	switch {
	case errors.Is(err, lobby.ErrNoSuchMatch):
		return timelineMsg{}, unknownNameError(n)
	case err != nil:
		return timelineMsg{}, err
	}
	return clubMatch{ref}.read(ctx, from)
}

// An unknownNameError says that neither a match nor a study of the user has a name.
type unknownNameError struct{ typed string }

func (e unknownNameError) Error() string { return "no match or study has the name " + e.typed }

// problem says in words why there is no match to step through.
func problem(say wording.Words, err error) string {
	if e, ok := errors.AsType[unknownNameError](err); ok {
		return say.NoSuchCode(e.typed)
	}
	return say.Error(err)
}
