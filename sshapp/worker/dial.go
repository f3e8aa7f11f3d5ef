package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// A Place is where a club is, and as whom a machine signs in there.
type Place struct {
	User string
	Host string
	Port string
}

// ParsePlace reads ssh://[USER@]HOST[:PORT].
func ParsePlace(text string) (Place, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "ssh" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return Place{}, fmt.Errorf("%q is not of the form ssh://[USER@]HOST[:PORT]", text)
	}
	if _, set := u.User.Password(); set {
		return Place{}, errors.New("a worker signs in with a key, not with a password")
	}
	p := Place{User: u.User.Username(), Host: u.Hostname(), Port: u.Port()}
	if p.User == "" {
		p.User = "worker"
	}
	if p.Port == "" {
		p.Port = "22"
	}
	return p, nil
}

// String returns the address.
func (p Place) String() string { return net.JoinHostPort(p.Host, p.Port) }

// Identity finds the key that a machine signs in with: the private key in a file, or, if that is locked by a passphrase or only the public key
// is there, the key of an agent that belongs to it. So no other key is ever offered: the club lets any key in, as a player. agentSocket is the
// socket of the agent; "" if there is none.
func Identity(file, agentSocket string) (gossh.Signer, error) {
	secret, err := os.ReadFile(file)
	var locked *gossh.PassphraseMissingError
	switch {
	case err == nil:
		signer, err := gossh.ParsePrivateKey(secret)
		if err == nil {
			return signer, nil
		}
		if public, _, _, _, notPublic := gossh.ParseAuthorizedKey(secret); notPublic == nil {
			return fromAgent(agentSocket, file, public)
		}
		if !errors.As(err, &locked) {
			return nil, fmt.Errorf("the key in %s can't be read: %w", file, err)
		}
		if locked.PublicKey != nil {
			return fromAgent(agentSocket, file, locked.PublicKey)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	text, err := os.ReadFile(file + ".pub")
	if err != nil {
		if locked != nil {
			return nil, fmt.Errorf("the key in %s has a passphrase; add it to ssh-agent, and put its public key beside it, or name another one with --identity", file)
		}
		return nil, fmt.Errorf("there is no key at %s; ssh-keygen -t ed25519 makes one, and --identity names another one", file)
	}
	public, _, _, _, err := gossh.ParseAuthorizedKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s.pub is no public key", file)
	}
	return fromAgent(agentSocket, file, public)
}

// An agentSigner is a key that an agent holds. Each signature has a connection of its own to the agent, which may come and go.
type agentSigner struct {
	socket string
	key    gossh.PublicKey
}

// fromAgent returns a key of an agent.
func fromAgent(socket, file string, public gossh.PublicKey) (gossh.Signer, error) {
	s := agentSigner{socket, public}
	err := s.ask(func(a agent.ExtendedAgent) error {
		keys, err := a.List()
		if err != nil {
			return err
		}
		for _, k := range keys {
			if string(k.Blob) == string(public.Marshal()) {
				return nil
			}
		}
		return errors.New("it holds other keys")
	})
	if err != nil {
		return nil, fmt.Errorf("ssh-agent can't sign with the key of %s: %w", file, err)
	}
	return s, nil
}

// ask asks the agent.
func (s agentSigner) ask(do func(agent.ExtendedAgent) error) error {
	if s.socket == "" {
		return errors.New("there is no agent (SSH_AUTH_SOCK)")
	}
	conn, err := net.DialTimeout("unix", s.socket, dialTime)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(agentTime)); err != nil {
		return err
	}
	return do(agent.NewClient(conn))
}

// PublicKey implements ssh.Signer.
func (s agentSigner) PublicKey() gossh.PublicKey { return s.key }

// Sign implements ssh.Signer.
func (s agentSigner) Sign(rand io.Reader, data []byte) (*gossh.Signature, error) {
	return s.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm implements ssh.AlgorithmSigner: of an RSA key the club takes no signature with SHA-1.
func (s agentSigner) SignWithAlgorithm(_ io.Reader, data []byte, algorithm string) (sig *gossh.Signature, err error) {
	flags := agent.SignatureFlags(0)
	switch {
	case algorithm == gossh.KeyAlgoRSASHA256:
		flags = agent.SignatureFlagRsaSha256
	case s.key.Type() == gossh.KeyAlgoRSA:
		flags = agent.SignatureFlagRsaSha512
	}
	err = s.ask(func(a agent.ExtendedAgent) error {
		sig, err = a.SignWithFlags(s.key, data, flags)
		return err
	})
	return sig, err
}

// Times of a connection.
const (
	dialTime      = 10 * time.Second
	handshakeTime = 30 * time.Second
	agentTime     = time.Minute      // an agent may ask its user
	keepalive     = 15 * time.Second // between two questions whether the club is still there
	firstWait     = time.Second      // before a machine connects again; it doubles
	longestWait   = time.Minute
)

// A HostError says that the key of a host isn't the one that known_hosts has.
type HostError struct{ error }

// Unwrap returns what is wrong.
func (e HostError) Unwrap() error { return e.error }

// A Dialer connects a machine to a club. All fields must be set.
type Dialer struct {
	Place      Place
	Key        gossh.Signer
	KnownHosts []string // files as of OpenSSH; those that don't exist count as empty
}

// clientConfig returns how to sign in. The error is a HostError if no key of the host is known.
func (d *Dialer) clientConfig() (*gossh.ClientConfig, error) {
	var files []string
	for _, f := range d.KnownHosts {
		if _, err := os.Stat(f); err == nil {
			files = append(files, f)
		}
	}
	known, err := knownhosts.New(files...)
	if err != nil {
		return nil, HostError{fmt.Errorf("known_hosts: %w", err)}
	}
	unknown := HostError{fmt.Errorf("the key of %s is not in %s; compare its fingerprint with what the operator says and connect once with ssh -p %s %s, which adds it",
		d.Place, strings.Join(d.KnownHosts, " or "), d.Place.Port, d.Place.Host)}
	algorithms := algorithmsOf(known, d.Place.String())
	if len(algorithms) == 0 {
		return nil, unknown
	}
	return &gossh.ClientConfig{
		User: d.Place.User, Auth: []gossh.AuthMethod{gossh.PublicKeys(d.Key)}, ClientVersion: "SSH-2.0-Ludoteca-worker",
		HostKeyAlgorithms: algorithms,
		HostKeyCallback: func(host string, remote net.Addr, key gossh.PublicKey) error {
			err := known(d.Place.String(), unnamed{}, key)
			var wrong *knownhosts.KeyError
			var revoked *knownhosts.RevokedError
			switch {
			case err == nil:
				return nil
			case errors.As(err, &wrong) && len(wrong.Want) > 0:
				return HostError{fmt.Errorf("THE KEY OF %s HAS CHANGED: it is %s, and %s:%d has another one; ask the operator why before you remove that line",
					d.Place, gossh.FingerprintSHA256(key), wrong.Want[0].Filename, wrong.Want[0].Line)}
			case errors.As(err, &wrong):
				return unknown
			case errors.As(err, &revoked):
				return HostError{fmt.Errorf("the key of %s is revoked in known_hosts", d.Place)}
			}
			return HostError{err}
		},
	}, nil
}

// unnamed is an address by which no host is known: a club is known by its name alone, as in OpenSSH with CheckHostIP=no.
type unnamed struct{}

// Network implements net.Addr.
func (unnamed) Network() string { return "tcp" }

// String implements net.Addr.
func (unnamed) String() string { return "0.0.0.0:0" }

// algorithmsOf returns the algorithms of the keys that are known of a host.
func algorithmsOf(known gossh.HostKeyCallback, host string) (algorithms []string) {
	var wrong *knownhosts.KeyError
	if !errors.As(known(host, unnamed{}, noKey{}), &wrong) {
		return nil
	}
	for _, k := range wrong.Want {
		switch t := k.Key.Type(); t {
		case gossh.KeyAlgoRSA:
			algorithms = append(algorithms, gossh.KeyAlgoRSASHA512, gossh.KeyAlgoRSASHA256)
		default:
			algorithms = append(algorithms, t)
		}
	}
	return algorithms
}

// noKey is a public key that no host has.
type noKey struct{}

// Type implements ssh.PublicKey.
func (noKey) Type() string { return "none" }

// Marshal implements ssh.PublicKey.
func (noKey) Marshal() []byte { return nil }

// Verify implements ssh.PublicKey.
func (noKey) Verify([]byte, *gossh.Signature) error { return errors.New("no key") }

// A session is a session of a machine at a club.
type session struct {
	gossh.Channel
	client  *gossh.Client
	end     context.CancelFunc
	serving *sync.WaitGroup
}

// Close ends the session and its connection.
func (s *session) Close() error {
	s.end()
	return s.client.Close()
}

// dial connects to the club and runs Command there.
func (d *Dialer) dial(ctx context.Context) (*session, error) {
	config, err := d.clientConfig()
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{Timeout: dialTime}).DialContext(ctx, "tcp", d.Place.String())
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	_ = conn.SetDeadline(time.Now().Add(handshakeTime)) // on a closed connection what follows fails
	c, channels, requests, err := gossh.NewClientConn(conn, d.Place.String(), config)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	client := gossh.NewClient(c, channels, requests)
	channel, its, err := client.OpenChannel("session", nil)
	if err != nil {
		_ = client.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	within, end := context.WithCancel(context.WithoutCancel(ctx))
	s := &session{channel, client, end, new(sync.WaitGroup)}
	s.serving.Go(func() { gossh.DiscardRequests(its) })
	s.serving.Go(func() { keepAlive(within, client) })
	ok, err := channel.SendRequest("exec", true, gossh.Marshal(struct{ Command string }{Command}))
	if err == nil && !ok {
		err = ErrNotWelcome
	}
	if err != nil {
		_ = s.Close()
		s.serving.Wait()
		return nil, err
	}
	return s, nil
}

// keepAlive closes a connection whose other side doesn't answer any more.
func keepAlive(ctx context.Context, client *gossh.Client) {
	timer := time.NewTimer(keepalive)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		missed := time.AfterFunc(3*keepalive, func() { _ = client.Close() })
		_, _, err := client.SendRequest("keepalive@openssh.com", true, nil)
		missed.Stop()
		if err != nil {
			return
		}
		timer.Reset(keepalive)
	}
}

// Lend lends the machine's cores to the club until ctx ends, and connects again when the connection ends. It tells what happens in words. It
// returns nil when ctx has ended; the error is a HostError, a *RefusedError, ErrNotWelcome, or says that the key isn't taken: then
// connecting again would not help.
func (d *Dialer) Lend(ctx context.Context, m *Machine, tell func(words string)) error {
	wait := firstWait
	for {
		begun := time.Now()
		err := d.once(ctx, m, tell)
		if ctx.Err() != nil {
			return nil
		}
		if changed, ok := errors.AsType[HostError](err); ok {
			return changed // without what the library says around it
		}
		var refusal *RefusedError
		switch {
		case errors.As(err, &refusal) && refusal.Retry > 0:
			wait = max(wait, refusal.Retry)
		case errors.As(err, &refusal), errors.Is(err, ErrNotWelcome), isAuthFailure(err):
			return err
		case time.Since(begun) > longestWait:
			wait = firstWait
		}
		tell(fmt.Sprintf("not connected to %s, next try in %v: %v", d.Place, wait, err))
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		wait = min(2*wait, longestWait)
	}
}

// once lends the machine's cores until the connection ends.
func (d *Dialer) once(ctx context.Context, m *Machine, tell func(words string)) error {
	s, err := d.dial(ctx)
	if err != nil {
		return err
	}
	defer s.serving.Wait()
	defer s.Close()
	err = m.Serve(ctx, s, func(version string) {
		tell(fmt.Sprintf("connected to %s (version %s): lends %d cores", d.Place, version, m.cores))
	})
	if err == nil && ctx.Err() == nil {
		err = errors.New("the club has ended the session")
	}
	return err
}

// isAuthFailure reports whether an error of the library says that the club takes none of the keys.
func isAuthFailure(err error) bool {
	return err != nil && strings.Contains(err.Error(), "unable to authenticate")
}
