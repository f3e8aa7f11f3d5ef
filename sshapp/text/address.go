package text

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// An Address is the host and port by which people reach the club, for commands in texts. The zero value is an unknown address.
type Address struct {
	Host string // a name, or an address without brackets
	Port int    // 1 to 65535
}

// sshPort is the port that clients take when they are told none.
const sshPort = 22

// hostName matches names of hosts. These characters have no meaning for a shell, and no client takes such a name for a flag.
var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$`)

const maxHostName = 253

// ParseAddress reads HOST or HOST:PORT. HOST is a name, an IPv4 address, or an IPv6 address in brackets. Without a port it is 22.
func ParseAddress(text string) (Address, error) {
	a := Address{Host: text, Port: sshPort}
	bracketed, rest, v6 := strings.Cut(strings.TrimPrefix(text, "["), "]")
	v6 = v6 && strings.HasPrefix(text, "[")
	if v6 {
		a.Host = bracketed
	} else {
		a.Host, _, _ = strings.Cut(text, ":")
		rest = text[len(a.Host):]
	}
	if rest != "" {
		port, err := strconv.ParseUint(strings.TrimPrefix(rest, ":"), 10, 16)
		if err != nil || port == 0 || !strings.HasPrefix(rest, ":") {
			return Address{}, fmt.Errorf("%q is not HOST or HOST:PORT; an IPv6 address stands in brackets", Clean(text))
		}
		a.Port = int(port)
	}
	ip, err := netip.ParseAddr(a.Host)
	switch {
	case v6 && (err != nil || !ip.Is6() || ip.Zone() != ""):
		return Address{}, fmt.Errorf("%q is no IPv6 address", Clean(a.Host))
	case !v6 && (len(a.Host) > maxHostName || !hostName.MatchString(a.Host)):
		return Address{}, fmt.Errorf("%q is no name of a host and no address", Clean(a.Host))
	}
	return a, nil
}

// String returns the address as ParseAddress reads it.
func (a Address) String() string {
	host := a.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if a.Port == sshPort {
		return host
	}
	return host + ":" + strconv.Itoa(a.Port)
}

// ssh returns the command that connects to the club, with flags and words behind it.
func (a Address) ssh(flags, words string) string {
	line := "ssh" + flags
	if a.Port != sshPort && a.Port != 0 {
		line += " -p " + strconv.Itoa(a.Port)
	}
	host := a.Host
	if host == "" {
		host = "HOST"
	}
	return strings.TrimSpace(line + " " + host + " " + words)
}

// SSH returns the line for a shell that gives the club the command words. With "" the line has no command.
func (a Address) SSH(words string) string { return a.ssh("", words) }

// At returns the same language for a club at the given address.
func (s Say) At(a Address) Say {
	s.address = &a
	return s
}

// SSH is Address.SSH for the address of the club.
func (s Say) SSH(words string) string { return s.at().ssh("", words) }

// SSHScreen returns the line for a shell that opens a screen of the club.
func (s Say) SSHScreen(words string) string { return s.at().ssh(" -t", words) }

// SSHLines returns the line for a shell that opens the line mode of the club.
func (s Say) SSHLines() string { return s.at().ssh(" -T", "") }

func (s Say) at() Address {
	if s.address == nil {
		return Address{}
	}
	return *s.address
}
