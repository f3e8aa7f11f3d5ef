//go:build linux

package loadtest

import "testing"

// TestRude treats the club badly in every way of the table.
func TestRude(t *testing.T) { Rude(t, Ours, false) }
