package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Door counts what happens at the SSH front. Its methods may be called by any goroutine.
type Door struct {
	connections, handshakes, panics prometheus.Counter
	signInTime                      prometheus.Histogram

	refusals, endings, signIns, sessions, bytes *prometheus.CounterVec

	refused, ended map[string]prometheus.Counter
	signedIn       map[string]prometheus.Counter
	served         map[string]prometheus.Counter
	in, out        prometheus.Counter
}

// The ways to sign in, and the kinds of sessions.
const (
	WithKey = "key"
	AsGuest = "guest"

	Screen  = "screen"  // full screen
	Command = "command" // ssh HOST COMMAND
	Prompt  = "prompt"  // the plain prompt
)

// NewDoor makes a Door that no registry knows. refusals and endings are the reasons that it will be told.
func NewDoor(refusals, endings []string) *Door {
	d := &Door{
		connections: counter("connections_total", "Connections taken in."),
		handshakes:  counter("handshakes_total", "Connections that came to the end of the key exchange."),
		panics:      counter("session_panics_total", "Panics of sessions, caught."),
		signInTime: histogram("sign_in_seconds", "Time from the connection to the end of the sign-in.",
			prometheus.ExponentialBuckets(0.01, 2, 11)), // 10 ms to 10 s
	}
	d.refusals, d.refused = by("refusals_total", "Connections and sessions refused.", "reason", refusals...)
	d.endings, d.ended = by("connections_ended_total", "Connections that have ended.", "reason", endings...)
	d.signIns, d.signedIn = by("sign_ins_total", "Connections that have signed in.", "as", WithKey, AsGuest)
	d.sessions, d.served = by("sessions_total", "Sessions begun.", "kind", Screen, Command, Prompt)
	var bytes map[string]prometheus.Counter
	d.bytes, bytes = by("network_bytes_total", "Bytes on the network, encryption included.", "direction", "in", "out")
	d.in, d.out = bytes["in"], bytes["out"]
	return d
}

func (d *Door) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		d.connections, d.handshakes, d.panics, d.signInTime, d.refusals, d.endings, d.signIns, d.sessions, d.bytes,
	}
}

// Connected counts a connection that was taken in.
func (d *Door) Connected() { d.connections.Inc() }

// Handshaken counts a connection whose keys are exchanged.
func (d *Door) Handshaken() { d.handshakes.Inc() }

// SignedIn counts a connection that has signed in, WithKey or AsGuest, that long after it was made.
func (d *Door) SignedIn(as string, took time.Duration) {
	count(d.signedIn, as)
	d.signInTime.Observe(took.Seconds())
}

// Refused counts something refused.
func (d *Door) Refused(reason string) { count(d.refused, reason) }

// Ended counts a connection that has ended.
func (d *Door) Ended(reason string) { count(d.ended, reason) }

// Served counts a session that has begun: Screen, Command or Prompt.
func (d *Door) Served(kind string) { count(d.served, kind) }

// Panicked counts a panic that was caught in a session.
func (d *Door) Panicked() { d.panics.Inc() }

// Received counts bytes from the network.
func (d *Door) Received(bytes int) { d.in.Add(float64(bytes)) }

// Sent counts bytes to the network.
func (d *Door) Sent(bytes int) { d.out.Add(float64(bytes)) }

// count leaves out what is in no set, so that no mistake can make a new label.
func count(set map[string]prometheus.Counter, value string) {
	if c, ok := set[value]; ok {
		c.Inc()
	}
}
