//go:build linux

package loadtest

import "testing"

// TestLargeWindow: the club stands in the middle of a window that is larger than it, and at the corner of one that isn't.
func TestLargeWindow(t *testing.T) {
	s := startServer(t, Ours)
	v, err := s.visit(nil, "", size{300, 100})
	if err != nil {
		t.Fatal(err)
	}
	defer v.conn.Close()
	if err := v.Until("\x1b[16;32H\x1b[1mLudoteca"); err != nil { // 30 columns and 15 rows from the corner
		t.Error(err)
	}
	if err := v.resize(Usual); err != nil {
		t.Fatal(err)
	}
	if err := v.Until("\x1b[1;2H\x1b[1mLudoteca"); err != nil {
		t.Error(err)
	}
}
