package lab

import (
	"fmt"
	"io"

	"ludoteca/games"
)

// legalLine is what Legal writes as JSON.
type legalLine struct {
	Game     string        `json:"game"`
	Options  games.Options `json:"options"`
	Position string        `json:"position"`
	Turn     string        `json:"turn"`
	Legal    []games.Move  `json:"legal"`
	Result   string        `json:"result"`
	Reason   string        `json:"reason"`
}

// Legal writes the legal moves of a position to w, one a line in byte order: none if the game is over.
func Legal(w io.Writer, g games.Game, p games.Position, asJSON bool) error {
	legal := append([]games.Move{}, p.Legal()...)
	if asJSON {
		line := legalLine{
			Game: g.About().ID, Options: p.Options(), Position: p.String(), Legal: legal,
			Result: p.Result().String(), Reason: p.Result().Reason,
		}
		if !p.Result().Over {
			line.Turn = p.Turn().String()
		}
		if err := newEncoder(w).Encode(line); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		return nil
	}
	for _, m := range legal {
		if _, err := fmt.Fprintln(w, m); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}
