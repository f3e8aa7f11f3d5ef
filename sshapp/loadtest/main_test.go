//go:build linux

package loadtest

import "testing"

func TestMain(m *testing.M) { Main(m, nil) }
