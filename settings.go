package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ludoteca/lobby"
	"ludoteca/sshapp"
)

// settings are the flags of serve.
type settings struct {
	listen        string
	data          string
	noGuests      bool
	workers       int
	operators     []string
	keepers       []string // operators, under the flag's former name
	proxyFrom     []string
	proxies       []netip.Prefix // of proxyFrom
	metrics       string
	metricsPublic bool
	stopTimeout   time.Duration
	limits        sshapp.Limits
	club          lobby.Limits
}

func defaultSettings() settings {
	return settings{
		listen: "127.0.0.1:2222", data: "./data", stopTimeout: 30 * time.Second,
		limits: sshapp.DefaultLimits(), club: lobby.DefaultLimits(),
	}
}

// flags declares every flag and returns the environment variable of each.
func (s *settings) flags(flags *pflag.FlagSet) (names map[string]string) {
	names = make(map[string]string)
	for _, f := range append(s.own(), append(s.limits.Flags(), s.clubLimits()...)...) {
		names[f.Name] = f.Env
		help := f.Help + " (" + f.Env + ")"
		switch at := f.Ptr.(type) {
		case *string:
			flags.StringVar(at, f.Name, *at, help)
		case *[]string:
			flags.StringSliceVar(at, f.Name, *at, help)
		case *int:
			flags.IntVar(at, f.Name, *at, help)
		case *bool:
			flags.BoolVar(at, f.Name, *at, help)
		case *time.Duration:
			flags.DurationVar(at, f.Name, *at, help)
		}
	}
	flags.StringSliceVar(&s.keepers, "keeper", nil, "the former name of --operator (LUDOTECA_KEEPER)")
	_ = flags.MarkHidden("keeper") // fails only for a flag that there isn't
	names["keeper"] = "LUDOTECA_KEEPER"
	return names
}

// named makes the flag called name.
func named(name string, ptr any, help string) sshapp.Flag {
	return sshapp.Flag{Name: name, Env: "LUDOTECA_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")), Help: help, Ptr: ptr}
}

// own are the flags that are no limits.
func (s *settings) own() []sshapp.Flag {
	return []sshapp.Flag{
		named("listen", &s.listen, "address to listen on, unless systemd hands a socket over"),
		named("data", &s.data, "folder with everything the club keeps"),
		named("no-guests", &s.noGuests, "refuse clients without a key"),
		named("bot-workers", &s.workers, "computer players that think at a time; 0 leaves one core to people"),
		named("operator", &s.operators, "fingerprint (SHA256:...) of a key that may ask for the status; can be given several times"),
		named("proxy-from", &s.proxyFrom, "network of trusted proxies, whose connections must begin with a PROXY header; can be given several times"),
		named("metrics", &s.metrics, "loopback address for Prometheus, such as 127.0.0.1:9222; none when empty"),
		named("metrics-public", &s.metricsPublic, "let --metrics be an address that others can reach"),
		named("stop-timeout", &s.stopTimeout, "time after which a club that is stopping ends, whatever goes on"),
	}
}

// clubLimits are the limits of what people can make the club do.
func (s *settings) clubLimits() []sshapp.Flag {
	l := &s.club
	return []sshapp.Flag{
		named("max-offers", &l.OpenOffers, "open offers of one person"),
		named("max-matches-player", &l.Unfinished, "unfinished matches of one player, offers included"),
		named("max-matches-guest", &l.GuestUnfinished, "unfinished matches of one guest, offers included"),
		named("max-exhibitions", &l.Exhibitions, "unfinished matches between two computer players that one player has opened"),
		named("max-matches", &l.Matches, "unfinished matches in the whole club"),
		named("max-moves", &l.Plies, "moves in one match, which is drawn then"),
		named("max-takebacks", &l.Takebacks, "moves taken back in one match"),
		named("max-analyses", &l.Analyses, "matches that wait to be analysed"),
		named("away-offer", &l.AwayOffer, "time that a public offer outlives its owner's last connection"),
		named("away-guest", &l.AwayGuest, "time that a guest may be gone before they have left their matches"),
		named("private-wait", &l.PrivateWait, "time that a private match waits for its second player"),
		named("unwatched", &l.Unwatched, "time that a match between two computer players goes on with nobody watching"),
		named("give-way", &l.EvictAfter, "time without a move after which a match is called off when max-matches is reached, the oldest first"),
		named("max-wrong-codes", &l.WrongGuesses, "wrong codes in a row by one person or address"),
		named("wrong-code-every", &l.GuessEvery, "time that earns one more wrong code"),
		named("max-history", &l.History, "matches of a history that are read at once"),
	}
}

// check completes the settings, or says what is wrong with them.
func (s *settings) check() error {
	if s.workers < 0 {
		return errors.New("--bot-workers must not be negative")
	}
	if s.stopTimeout <= 0 {
		return errors.New("--stop-timeout must be more than 0")
	}
	for _, f := range s.clubLimits() {
		ok := true
		switch at := f.Ptr.(type) {
		case *int:
			ok = *at > 0
		case *time.Duration:
			ok = *at > 0
		}
		if !ok {
			return fmt.Errorf("--%s must be more than 0", f.Name)
		}
	}
	s.operators, s.keepers = append(s.operators, s.keepers...), nil
	for _, k := range s.operators {
		hash, found := strings.CutPrefix(k, "SHA256:")
		if sum, err := base64.RawStdEncoding.Strict().DecodeString(hash); !found || err != nil || len(sum) != 32 {
			return fmt.Errorf("--operator %q is no fingerprint such as ssh-keygen -l prints: SHA256: and 43 letters", k)
		}
	}
	for _, network := range s.proxyFrom {
		prefix, err := parseNetwork(network)
		if err != nil {
			return fmt.Errorf("--proxy-from %q is no network such as 192.0.2.0/24 and no address", network)
		}
		s.proxies = append(s.proxies, prefix)
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
