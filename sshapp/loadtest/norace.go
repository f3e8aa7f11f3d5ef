//go:build linux && !race

package loadtest

const raceDetector = false
