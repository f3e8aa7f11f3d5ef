package terminal

import tea "charm.land/bubbletea/v2"

// Bell is a message that rings the terminal's bell with the next frame, once however many arrive before it. The driver takes it;
// models don't see it.
type Bell struct{}

// RingBell is a command that rings the terminal's bell.
func RingBell() tea.Msg { return Bell{} }
