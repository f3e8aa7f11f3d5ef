//go:build linux && race

package stocktest

// raceDetector maps more memory than a limited process has.
const raceDetector = true
