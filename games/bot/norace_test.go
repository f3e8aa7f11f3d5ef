//go:build !race

package bot

// raced says that the race detector is on.
const raced = false
