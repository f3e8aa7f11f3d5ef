//go:build linux && race

package loadtest

// raceDetector maps more memory than a limited process has.
const raceDetector = true
