package sshapp

import (
	"io"
	"runtime"
	"testing"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// BenchmarkEcho is a key's way to a session and back over loopback.
func BenchmarkEcho(b *testing.B) {
	d := startServer(b, func(s ssh.Session) int { _, _ = io.Copy(s, s); return 0 }, nil)
	ch := channel(b, d.dial())
	ask(b, ch, "shell", nil)
	key := []byte("x")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ch.Write(key); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(ch, key); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSignIn is a whole connection: key exchange, sign-in as a guest, a session and its end. The client's work is in it.
func BenchmarkSignIn(b *testing.B) {
	d := startServer(b, func(ssh.Session) int { return 0 }, nil)
	for b.Loop() {
		c, err := gossh.Dial("tcp", d.addr, d.config(asGuest(b)))
		if err != nil {
			b.Fatal(err)
		}
		if got := run(b, c, ""); got.status != 0 {
			b.Fatal(got)
		}
		_ = c.Close()
	}
}

// BenchmarkIdleSession measures what a session costs that does nothing, its client in the same process included.
func BenchmarkIdleSession(b *testing.B) {
	const sessions = 100
	d := startServer(b, stayOrGo, nil)
	for b.Loop() {
		before := heapInUse()
		clients := make([]*gossh.Client, sessions)
		for i := range clients {
			clients[i] = d.dial()
			ask(b, channel(b, clients[i]), "exec", oneString{"stay"})
		}
		b.ReportMetric(float64(heapInUse()-before)/sessions, "B/session")
		for _, c := range clients {
			_ = c.Close()
		}
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
