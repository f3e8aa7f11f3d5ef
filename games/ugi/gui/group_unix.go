//go:build unix

package gui

import (
	"os/exec"
	"syscall"
)

// ownGroup has a program run in a process group of its own, so that signals of the terminal don't reach it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a program and what it has started. The error is that all of it has ended.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
