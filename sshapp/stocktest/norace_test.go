//go:build linux && !race

package stocktest

const raceDetector = false
