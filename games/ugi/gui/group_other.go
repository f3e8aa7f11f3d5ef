//go:build !unix

package gui

import "os/exec"

// ownGroup does nothing here.
func ownGroup(*exec.Cmd) {}

// killGroup kills a program. The error is that it has ended.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
