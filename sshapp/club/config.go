package club

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp"
	"ludoteca/sshapp/club/clubstore"
	"ludoteca/sshapp/flagset"
	"ludoteca/sshapp/greeting"
	"ludoteca/sshapp/text"
)

// A Config says how a club is run. AddFlags sets the fields from flags, all but the last ones.
type Config struct {
	Listen          string
	PublicAddress   string
	ClubName        string // "": Ludoteca
	Welcome         string // a file; "": none
	Data            string
	Place           clubstore.Place
	Node            string // the name of this node
	Compact         bool
	NoMigrationCopy bool
	FreeSpace       flagset.Size
	NoGuests        bool
	KeepAddresses   bool
	Workers         int
	Operators       []string
	WorkerKeys      []string
	Relays          []string
	ProxyFrom       []string
	Metrics         string
	MetricsPublic   bool
	StopTimeout     time.Duration
	Limits          sshapp.Limits
	ClubLimits      lobby.Limits
	Notices         Outgoing

	Games    []games.Game       // that can be played, in the order in which they are shown
	Now      func() time.Time   // what the club calls now; nil: time.Now
	Env      sshapp.Environment // for what systemd says
	Log      *slog.Logger
	Invite   io.Writer // gets the line that can be pasted to visit the club, once it is open
	Progress io.Writer // gets how far a compaction has come

	address  text.Address      // of PublicAddress; zero: it follows from the listener
	greeting greeting.Greeting // of ClubName and Welcome
	proxies  []netip.Prefix    // of ProxyFrom
	relays   []netip.Addr      // of Relays
}

// DefaultConfig returns what a small club does well with. The fields that no flag sets are zero.
func DefaultConfig() Config {
	return Config{
		Listen: "127.0.0.1:2222", Data: "./data", Place: clubstore.DefaultPlace(), Node: defaultNode(), FreeSpace: 256 << 20, StopTimeout: 30 * time.Second,
		Limits: sshapp.DefaultLimits(), ClubLimits: lobby.DefaultLimits(),
	}
}

// An InvalidError is the error of a club whose settings can't be used.
type InvalidError struct{ error }

// Unwrap returns what is wrong.
func (e InvalidError) Unwrap() error { return e.error }

const maxNodeName = 40

// Check completes the settings. The error says what is wrong with them.
func (s *Config) Check(env sshapp.Environment) error {
	if err := s.Place.Check(env); err != nil {
		return err
	}
	if !nodeName.MatchString(s.Node) {
		return fmt.Errorf("--node %q is not a name of up to %d letters, digits, dots and -", s.Node, maxNodeName)
	}
	if s.Compact && s.Place.Shared() {
		return errors.New("--compact is for a store in a file; etcd has etcdctl defrag, PostgreSQL has vacuum")
	}
	if s.PublicAddress != "" {
		var err error
		if s.address, err = text.ParseAddress(s.PublicAddress); err != nil {
			return fmt.Errorf("--public-address: %w", err)
		}
	}
	var err error
	if s.greeting, err = greeting.New(s.ClubName, s.Welcome); err != nil {
		return err
	}
	if s.Workers < 0 {
		return errors.New("--bot-workers must not be negative")
	}
	switch {
	case s.ClubLimits.KeepCasual < 0:
		return errors.New("--keep-casual must not be negative")
	case s.ClubLimits.KeepCasual == 0:
		s.ClubLimits.KeepCasual = -1 // for ever
	}
	if s.StopTimeout <= 0 {
		return errors.New("--stop-timeout must be more than 0")
	}
	if err := s.checkLimits(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := s.Notices.check(env); err != nil {
		return err
	}
	for _, k := range s.Operators {
		if err := checkFingerprint("operator", k); err != nil {
			return err
		}
	}
	for _, k := range s.WorkerKeys {
		if err := checkFingerprint("worker", k); err != nil {
			return err
		}
		if slices.Contains(s.Operators, k) {
			return fmt.Errorf("--worker %s is also a key of --operator, and the key of a worker can do nothing else", k)
		}
	}
	for _, relay := range s.Relays {
		addr, err := netip.ParseAddr(relay)
		if err != nil {
			return fmt.Errorf("--relay %q is no address such as 192.0.2.7", relay)
		}
		s.relays = append(s.relays, addr)
	}
	for _, network := range s.ProxyFrom {
		prefix, err := parseNetwork(network)
		if err != nil {
			return fmt.Errorf("--proxy-from %q is no network such as 192.0.2.0/24 and no address", network)
		}
		s.proxies = append(s.proxies, prefix)
	}
	return nil
}

// checkFingerprint says what is wrong with a fingerprint that a flag names.
func checkFingerprint(flag, fingerprint string) error {
	hash, found := strings.CutPrefix(fingerprint, "SHA256:")
	if sum, err := base64.RawStdEncoding.Strict().DecodeString(hash); !found || err != nil || len(sum) != 32 {
		return fmt.Errorf("--%s %q is no fingerprint such as ssh-keygen -l prints: SHA256: and 43 letters", flag, fingerprint)
	}
	return nil
}

// parseNetwork reads a network, or an address as the network of itself.
func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap().WithZone("")
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	const mapped = 96 // bits before the IPv4 address in an IPv6 address that stands for it
	if prefix.Addr().Is4In6() && prefix.Bits() >= mapped {
		prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mapped)
	}
	return prefix.Masked(), err
}

var nodeName = regexp.MustCompile(`^[A-Za-z0-9.-]{1,40}$`)

// defaultNode derives the name of a node from the name of the machine.
func defaultNode() string {
	name, err := os.Hostname()
	if err != nil {
		return "node"
	}
	name = strings.Map(func(r rune) rune {
		if nodeName.MatchString(string(r)) {
			return r
		}
		return '-'
	}, name)
	if name = name[:min(len(name), maxNodeName)]; name == "" {
		return "node"
	}
	return name
}
