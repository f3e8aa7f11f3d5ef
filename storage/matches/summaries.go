package matches

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

// A Summary is what can be said of a match that goes on without reading its log. It is written with every append.
type Summary struct {
	ID      storage.MatchID
	Seq     uint64       // number of the last event; 0: there is no summary yet, and all other fields but ID are zero
	At      time.Time    // of the last event
	Opening Opening      // with the seats as they are taken now, and without moves
	Opener  storage.Seat // the seat that opened the match; Nobody if no seat did
	Opened  time.Time
	Started time.Time    // when the second seat was taken; zero before
	Given   int          // how many moves the opening gave
	Plies   int          // moves of the line as it stands now, those given included
	Turn    storage.Seat // whose turn it is
	Helped  results.Help
	Offers  Offers     // the open ones between the two sides
	Pauses  Pauses     `json:",omitzero"` // of a match with days a move
	Clock   ClockState // of a match with a clock
	Planned bool       `json:",omitempty"` // the side to move has a Plan, which may apply
}

// A ClockState is how the clock of a match stood after its last event. It is the zero value for a match without a clock.
type ClockState struct {
	Left  [2]time.Duration // what each side had left, whole milliseconds
	Since time.Time        // since when the side to move has been thinking; zero before the match has started
	Moved [2]bool          // which sides have made their first move
	Used  time.Duration    `json:",omitempty"` // what was used up of the time for a first move at Since, whole milliseconds
}

// SummaryVersion is the version of the summaries.
//
// A store may have 20,000 summaries, and all are read when the club opens, so they are short. As JSON they took twice the room, and
// reading them was a fifth of the processor time of opening a store with 20,000 matches. The fields are in the order in which
// encodeSummary writes them: numbers as varints, times in milliseconds since 1970, texts after their length.
const SummaryVersion = 5

const (
	summaryRated = 1 << iota
	summaryPublic
	summaryStarted     // else the time of the start is left out
	summaryThinking    // else the time since when the side to move has been thinking is left out
	summaryFirstMoved  // with a clock: the first side has moved
	summarySecondMoved // and the second
	summaryTerms       // else the range of ratings and the seconds that the offer waits are left out
	summaryFrom        // the start position is not the game's own

	summaryFlags = iota
)

// The byte after the turn holds the seats with open offers, and more.
const (
	summaryOffer      = 3      // the seat that offers a draw
	summaryTakeback   = 4      // how far the seat that asks for a takeback is shifted
	summaryPauses     = 1 << 2 // pauses follow the clock
	summaryPlanned    = 1 << 6 // the side to move has a plan
	summaryTournament = 1 << 7 // the match belongs to a tournament
)

// summaryKinds are the kinds of occupants by the byte that is written for them.
var summaryKinds = [...]storage.OccupantKind{storage.Free, storage.Person, storage.Guest, storage.Bot, storage.Engine}

// Summaries are the summaries of the matches that go on. One without a value has yet to be made.
var Summaries = storage.Table[storage.MatchID, Summary]{
	Name: "summaries", Keys: storage.Text[storage.MatchID](nil), Traits: storage.Traits{From: []string{"logs"}, Anew: true},
	Values: storage.Codec[storage.MatchID, Summary]{
		Encode: encodeSummary,
		Decode: func(id storage.MatchID, value []byte) (Summary, error) { return newSummaryReader().row(id, value) },
	},
}

// checkSummary refuses a summary that makes no sense.
func checkSummary(m Summary) error {
	o := m.Opening
	if err := storage.CheckText(o.Code, o.Game, string(o.RematchOf), o.Clock, o.From); err != nil {
		return err
	}
	if err := storage.CheckOccupants(o.First, o.Second, o.Reserved, o.By); err != nil {
		return err
	}
	if err := storage.CheckOptions(o.Options); err != nil {
		return err
	}
	if err := checkTerms(o); err != nil {
		return err
	}
	if err := storage.CheckTournamentBoard(o.Tournament); err != nil {
		return err
	}
	if m.Seq == 0 || len(o.Moves) > 0 || m.Given < 0 || m.Plies < m.Given || m.Opener > storage.SecondSeat || m.Turn > storage.SecondSeat ||
		m.Offers.Draw > storage.SecondSeat || m.Offers.Takeback > storage.SecondSeat ||
		m.Offers.Adjourn > storage.SecondSeat || m.Clock.Used < 0 || m.Clock.Used%time.Millisecond != 0 || hasPauses(m) && o.Clock == "" ||
		m.Helped.Hints < 0 || m.Helped.Takebacks < 0 || !storage.WholeTimes(m.Clock.Left) || o.Clock == "" && m.Clock != (ClockState{}) {
		return fmt.Errorf("%w: a summary that makes no sense", storage.ErrInvalid)
	}
	return nil
}

// encodeSummary returns the stored form of a summary. The error is ErrInvalid for a summary that would not come back as it is.
func encodeSummary(m Summary) ([]byte, error) {
	if err := checkSummary(m); err != nil {
		return nil, err
	}
	o := m.Opening
	var flags byte
	for i, set := range [summaryFlags]bool{o.Rated, o.Public, !m.Started.IsZero(), !m.Clock.Since.IsZero(), m.Clock.Moved[0], m.Clock.Moved[1], hasTerms(o), o.From != ""} {
		if set {
			flags |= 1 << i
		}
	}
	open := byte(m.Offers.Draw) | byte(m.Offers.Takeback)<<summaryTakeback
	if m.Planned {
		open |= summaryPlanned
	}
	if o.Tournament != (storage.TournamentBoard{}) {
		open |= summaryTournament
	}
	if hasPauses(m) {
		open |= summaryPauses
	}
	b := append(make([]byte, 0, 192), flags, byte(m.Opener), byte(m.Turn), open)
	b = binary.AppendVarint(b, m.At.UnixMilli())
	b = binary.AppendVarint(b, m.Opened.UnixMilli())
	if flags&summaryStarted != 0 {
		b = binary.AppendVarint(b, m.Started.UnixMilli())
	}
	b = binary.AppendUvarint(b, m.Seq)
	for _, n := range []int{m.Given, m.Plies, m.Helped.Hints, m.Helped.Takebacks} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, text := range []string{o.Code, o.Game, string(o.RematchOf), o.Clock} {
		b = appendText(b, text)
	}
	if o.From != "" {
		b = appendText(b, o.From)
	}
	if o.Clock != "" {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(m.Clock.Left[0].Milliseconds())), uint64(m.Clock.Left[1].Milliseconds()))
		if flags&summaryThinking != 0 {
			b = binary.AppendVarint(b, m.Clock.Since.UnixMilli())
		}
	}
	if hasPauses(m) {
		b = binary.AppendUvarint(append(b, byte(m.Offers.Adjourn)), uint64(m.Clock.Used.Milliseconds()))
		for _, at := range m.Pauses.times() {
			b = binary.AppendVarint(b, msOrZero(*at))
		}
	}
	if hasTerms(o) {
		for _, n := range []int{o.Range[0], o.Range[1], o.Wait} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	if t := o.Tournament; t != (storage.TournamentBoard{}) {
		b = appendText(appendText(appendText(b, string(t.ID)), t.Code), t.Name)
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(t.Round)), uint64(t.Board))
	}
	for _, who := range []storage.Occupant{o.First, o.Second, o.Reserved, o.By} {
		kind := slices.Index(summaryKinds[:], who.Kind)
		if kind < 0 || who.Kind == storage.Free && who != (storage.Occupant{}) {
			return nil, fmt.Errorf("%w: an occupant of kind %q", storage.ErrInvalid, who.Kind)
		}
		if b = append(b, byte(kind)); who.Kind != storage.Free {
			b = appendText(appendText(b, who.ID), who.Name)
		}
	}
	return storage.Seal(SummaryVersion, appendText(b, string(appendOptions(nil, o.Options)))), nil
}

// hasPauses reports whether a summary has something of a pause of its clock.
func hasPauses(m Summary) bool {
	return m.Pauses != (Pauses{}) || m.Offers.Adjourn != storage.Nobody || m.Clock.Used != 0
}

// times are the times of pauses.
func (p *Pauses) times() [3]*time.Time {
	return [3]*time.Time{&p.Vacation[0], &p.Vacation[1], &p.Adjourned}
}

// msOrZero returns a time in milliseconds since 1970, 0 for the zero time.
func msOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// hasTerms reports whether an offer is for some ratings alone, or waits for some time alone.
func hasTerms(o Opening) bool { return o.Range != [2]int{} || o.Wait != 0 }

// appendText appends a text after its length.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// appendOptions appends options in the order of their keys.
func appendOptions(b []byte, o games.Options) []byte {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		b = binary.AppendVarint(appendText(b, key), int64(o[key]))
	}
	return b
}

// maxShared bounds the texts, and the options, that a summaryReader shares at a time.
const maxShared = 4096

// A summaryReader reads summaries. What many have in common, their games, clocks, bots and options, is in memory once. A reader may live as
// long as its node, so it doesn't share ids, names, codes and positions, which differ from match to match. Players choose the values of
// options, so the reader forgets all that it shares when there are maxShared of it.
type summaryReader struct {
	texts   map[string]string
	options map[string]games.Options // by their stored form
}

func newSummaryReader() *summaryReader {
	return &summaryReader{texts: make(map[string]string), options: make(map[string]games.Options)}
}

// read reads the stored form of a summary. The error is ErrDamaged.
func (s *summaryReader) read(id storage.MatchID, value []byte) (Summary, error) {
	content, err := storage.Unseal(value, SummaryVersion)
	if err != nil {
		return Summary{}, err
	}
	r := &storage.Reader{Rest: content}
	head := r.Bytes(4)
	if r.Bad {
		return Summary{}, fmt.Errorf("%w: a summary of %d bytes makes no sense", storage.ErrDamaged, len(content))
	}
	m := Summary{
		ID: id, Opener: storage.Seat(head[1]), Turn: storage.Seat(head[2]), Planned: head[3]&summaryPlanned != 0,
		Offers: Offers{Draw: storage.Seat(head[3] & summaryOffer), Takeback: storage.Seat(head[3] >> summaryTakeback & summaryOffer)},
	}
	r.Bad = head[3]&^(summaryPauses|summaryTournament|summaryPlanned|summaryOffer|summaryOffer<<summaryTakeback) != 0
	m.At, m.Opened = storage.FromMS(r.Varint()), storage.FromMS(r.Varint())
	if head[0]&summaryStarted != 0 {
		m.Started = storage.FromMS(r.Varint())
	}
	m.Seq = r.Uvarint()
	for _, n := range []*int{&m.Given, &m.Plies, &m.Helped.Hints, &m.Helped.Takebacks} {
		*n = int(r.Uvarint())
	}
	m.Opening = Opening{
		Code: string(r.Text()), Game: s.shared(r.Text()), RematchOf: storage.MatchID(r.Text()), Clock: s.shared(r.Text()),
		Rated: head[0]&summaryRated != 0, Public: head[0]&summaryPublic != 0,
	}
	if head[0]&summaryFrom != 0 {
		m.Opening.From = string(r.Text())
		r.Bad = r.Bad || m.Opening.From == ""
	}
	if m.Opening.Clock != "" {
		for side := range m.Clock.Left {
			left := r.Uvarint()
			r.Bad = r.Bad || left > uint64(math.MaxInt64/time.Millisecond)
			m.Clock.Left[side] = time.Duration(left) * time.Millisecond
		}
		if head[0]&summaryThinking != 0 {
			m.Clock.Since = storage.FromMS(r.Varint())
		}
		m.Clock.Moved = [2]bool{head[0]&summaryFirstMoved != 0, head[0]&summarySecondMoved != 0}
	} else if head[0]&(summaryThinking|summaryFirstMoved|summarySecondMoved) != 0 {
		r.Bad = true
	}
	if head[3]&summaryPauses != 0 {
		m.Offers.Adjourn = storage.Seat(r.Byte())
		used := r.Uvarint()
		r.Bad = r.Bad || used > uint64(math.MaxInt64/time.Millisecond)
		m.Clock.Used = time.Duration(used) * time.Millisecond
		for _, at := range m.Pauses.times() {
			if ms := r.Varint(); ms != 0 {
				*at = storage.FromMS(ms)
			}
		}
		r.Bad = r.Bad || !hasPauses(m)
	}
	if head[0]&summaryTerms != 0 {
		for _, n := range []*int{&m.Opening.Range[0], &m.Opening.Range[1], &m.Opening.Wait} {
			*n = int(r.Uvarint())
		}
		r.Bad = r.Bad || !hasTerms(m.Opening)
	}
	if head[3]&summaryTournament != 0 {
		m.Opening.Tournament = storage.TournamentBoard{
			ID: storage.TournamentID(s.shared(r.Text())), Code: s.shared(r.Text()), Name: s.shared(r.Text()), Round: int(r.Uvarint()), Board: int(r.Uvarint()),
		}
		r.Bad = r.Bad || m.Opening.Tournament == (storage.TournamentBoard{})
	}
	for _, who := range []*storage.Occupant{&m.Opening.First, &m.Opening.Second, &m.Opening.Reserved, &m.Opening.By} {
		switch kind := r.Byte(); {
		case int(kind) >= len(summaryKinds):
			r.Bad = true
		case summaryKinds[kind] == storage.Bot:
			*who = storage.Occupant{Kind: storage.Bot, ID: s.shared(r.Text()), Name: s.shared(r.Text())}
		case summaryKinds[kind] != storage.Free:
			*who = storage.Occupant{Kind: summaryKinds[kind], ID: string(r.Text()), Name: string(r.Text())}
		}
	}
	m.Opening.Options = s.readOptions(r)
	if r.Bad || len(r.Rest) > 0 || checkSummary(m) != nil {
		return Summary{}, fmt.Errorf("%w: the summary of match %s makes no sense", storage.ErrDamaged, id)
	}
	return m, nil
}

// row reads a row of the summaries: one without a value has yet to be made, and has Seq 0.
func (s *summaryReader) row(id storage.MatchID, value []byte) (Summary, error) {
	if len(value) == 0 {
		return Summary{ID: id}, nil
	}
	return s.read(id, value)
}

// shared returns a text that is in memory once, unless it was forgotten in between; see maxShared.
func (s *summaryReader) shared(text []byte) string {
	if t, ok := s.texts[string(text)]; ok {
		return t
	}
	if len(s.texts) >= maxShared {
		clear(s.texts)
	}
	t := string(text)
	s.texts[t] = t
	return t
}

func (s *summaryReader) readOptions(r *storage.Reader) games.Options {
	stored := r.Text()
	if o, ok := s.options[string(stored)]; ok {
		return o
	}
	o := games.Options{}
	for in := (&storage.Reader{Rest: stored}); len(in.Rest) > 0; {
		key := in.Text()
		o[string(key)] = int(in.Varint())
		if r.Bad = r.Bad || in.Bad; r.Bad {
			return nil
		}
	}
	if len(s.options) >= maxShared {
		clear(s.options)
	}
	s.options[string(stored)] = o
	return o
}

// Summaries returns the summaries of all matches that go on, by id. A summary that is damaged or has yet to be made has
// Seq 0: the caller makes it from the log and hands it to KeepSummaries.
func (s *Store) Summaries(ctx context.Context) ([]Summary, error) {
	return storage.View(ctx, s.engine, "summaries", func(r kv.Reader) (all []Summary, err error) {
		in := newSummaryReader()
		for p, err := range r.Scan(Summaries.All().Range) {
			if err != nil {
				return nil, err
			}
			id, _ := Summaries.Parse(p.Key)
			m, err := in.row(id, p.Value)
			if err != nil {
				m = Summary{ID: id}
			}
			all = append(all, m)
		}
		return all, nil
	})
}

// KeepSummaries keeps summaries that were missing, and brings the logs of their matches to the present form. The Seq of each must be
// the number of the last event in its log, else the error is ErrStale and nothing is kept.
func (s *Store) KeepSummaries(ctx context.Context, all []Summary) error {
	return storage.Update(ctx, s.engine, "keep summaries", func(tx kv.Tx) error {
		for _, m := range all {
			log, err := readLog(tx, m.ID, 1, 0)
			if err != nil {
				return err
			}
			if uint64(len(log)) != m.Seq {
				return storage.ErrStale
			}
			if err := Logs.DeleteUnder(tx, string(m.ID)); err != nil {
				return err
			}
			if err := addEvents(tx, m.ID, logTail{}, log); err != nil {
				return err
			}
			if m.Planned, err = planned(tx, m); err != nil {
				return err
			}
			if err := Summaries.Put(tx, m.ID, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// FollowSummaries follows the summaries of all unfinished matches until ctx ends; see Follower. A summary
// with Seq 0 has yet to be made.
func (s *Store) FollowSummaries(ctx context.Context, f storage.Follower[storage.MatchID, Summary]) error {
	table := Summaries
	table.Values.Decode = newSummaryReader().row
	return table.Follow(ctx, s.engine, f)
}
