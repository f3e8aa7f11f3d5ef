//go:build !linux

package lobby

// stepBack does nothing: elsewhere than on Linux a thread has no priority of its own.
func stepBack() {}
