package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ludoteca/sshapp/status"
)

// A Server counts the events of the SSH server. It is safe for concurrent use.
type Server struct {
	connections, handshakes, panics prometheus.Counter
	signInTime                      prometheus.Histogram

	refusals, endings, signIns, sessions, bytes *prometheus.CounterVec

	refused, ended map[string]prometheus.Counter
	signedIn       map[string]prometheus.Counter
	served         map[string]prometheus.Counter
	in, out        prometheus.Counter

	Refusals status.Refusals // of the last hour
}

// The ways to sign in, and the kinds of sessions.
const (
	WithKey = "key"
	AsGuest = "guest"

	Screen  = "screen"  // full screen
	Command = "command" // ssh HOST COMMAND
	Prompt  = "prompt"  // the plain prompt
	Files   = "files"   // sftp and scp
)

// NewServer makes a Server without a registry. refusals and endings are all reasons that it will count.
func NewServer(refusals, endings []string) *Server {
	s := &Server{
		connections: counter("connections_total", "Connections taken in."),
		handshakes:  counter("handshakes_total", "Connections that came to the end of the key exchange."),
		panics:      counter("session_panics_total", "Panics of sessions, caught."),
		signInTime: histogram("sign_in_seconds", "Time from the connection to the end of the sign-in.",
			prometheus.ExponentialBuckets(0.01, 2, 11)), // 10 ms to 10 s
	}
	s.refusals, s.refused = by("refusals_total", "Connections and sessions refused.", "reason", refusals...)
	s.endings, s.ended = by("connections_ended_total", "Connections that have ended.", "reason", endings...)
	s.signIns, s.signedIn = by("sign_ins_total", "Connections that have signed in.", "as", WithKey, AsGuest)
	s.sessions, s.served = by("sessions_total", "Sessions begun.", "kind", Screen, Command, Prompt, Files)
	var bytes map[string]prometheus.Counter
	s.bytes, bytes = by("network_bytes_total", "Bytes on the network, encryption included.", "direction", "in", "out")
	s.in, s.out = bytes["in"], bytes["out"]
	return s
}

func (s *Server) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		s.connections, s.handshakes, s.panics, s.signInTime, s.refusals, s.endings, s.signIns, s.sessions, s.bytes,
	}
}

// Connected counts an accepted connection.
func (s *Server) Connected() { s.connections.Inc() }

// Handshaken counts a connection whose keys are exchanged.
func (s *Server) Handshaken() { s.handshakes.Inc() }

// SignedIn counts a connection that has signed in. as is WithKey or AsGuest, and took the time since the connection was accepted.
func (s *Server) SignedIn(as string, took time.Duration) {
	count(s.signedIn, as)
	s.signInTime.Observe(took.Seconds())
}

// Refused counts a refusal by its reason.
func (s *Server) Refused(reason string) {
	if count(s.refused, reason) {
		s.Refusals.Add(time.Now(), reason)
	}
}

// Ended counts a connection that has ended, by the reason.
func (s *Server) Ended(reason string) { count(s.ended, reason) }

// Served counts a session that has begun: Screen, Command or Prompt.
func (s *Server) Served(kind string) { count(s.served, kind) }

// Panicked counts a panic that was caught in a session.
func (s *Server) Panicked() { s.panics.Inc() }

// Received counts bytes from the network.
func (s *Server) Received(bytes int) { s.in.Add(float64(bytes)) }

// Sent counts bytes to the network.
func (s *Server) Sent(bytes int) { s.out.Add(float64(bytes)) }

// count leaves out what is in no set, so that no mistake can make a new label.
func count(set map[string]prometheus.Counter, value string) (known bool) {
	c, known := set[value]
	if known {
		c.Inc()
	}
	return known
}
