package prompt

import (
	"context"
	"strings"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// SetPremove keeps a move that is played in the current match as soon as it is the user's turn, if it is legal then; "" for none. It reports
// whether the match with the id is the current one.
func (m *Match) SetPremove(id storage.MatchID, move games.Move) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seat == nil || m.ref.ID != id {
		return false
	}
	m.premove = move
	select {
	case m.ahead <- struct{}{}:
	default:
	}
	return true
}

// premoveIn returns the premove in a match, if that is the current one. It is taken if take is true.
func (m *Match) premoveIn(id storage.MatchID, take bool) games.Move {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ref.ID != id {
		return ""
	}
	move := m.premove
	if take {
		m.premove = ""
	}
	return move
}

// playPremoves plays premoves in a match until ctx ends. It doesn't wait for what is told: tell is called after the move.
func (m *Match) playPremoves(ctx context.Context, say wording.Words, seat *seats.Seat, tell func(words string)) {
	for ctx.Err() == nil {
		for old := (*lobby.View)(nil); m.premoveIn(seat.ID(), false) != ""; {
			after := uint64(0)
			if old != nil {
				after = old.Seq
			}
			v, err := seat.Next(ctx, after)
			if err != nil {
				return // the caller is gone, or the club closes
			}
			back := old != nil && !v.Continues(old)
			if back || v.Over || v.YourTurn(seat.User()) {
				if words := m.playPremove(ctx, say, seat, v, back); words != "" {
					tell(words)
				}
			}
			old = v
		}
		select {
		case <-m.ahead:
		case <-ctx.Done():
		}
	}
}

// playPremove plays the premove in a match as it stands, and returns what is to be told. back reports whether a move was taken back.
func (m *Match) playPremove(ctx context.Context, say wording.Words, seat *seats.Seat, v *lobby.View, back bool) string {
	move := m.premoveIn(v.ID, true)
	switch {
	case move == "" || v.Over:
		return ""
	case back:
		return say.T("A move was taken back, so %s is not played.", string(move))
	}
	if _, err := v.Position.Play(move); err != nil {
		return say.T("%s can't be played now, so it is dropped.", string(move))
	}
	if err := seat.Move(ctx, move, v.Ply()); err != nil {
		return say.T("%s could not be played.", string(move)) + " " + say.Error(err)
	}
	return strings.Join(Narrate(say, v, seat.User(), m.Manner()).Move(v.Position, move), " ")
}
