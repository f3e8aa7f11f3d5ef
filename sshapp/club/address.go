package club

import (
	"log/slog"
	"net"
	"os"

	"ludoteca/sshapp/text"
)

// warnOfNoAddress warns of a club behind a proxy or of several nodes that doesn't know how people reach it: the name of one machine, which they
// would read instead, doesn't lead through the proxy.
func (s *Config) warnOfNoAddress(log *slog.Logger) {
	if s.PublicAddress == "" && (len(s.proxies) > 0 || s.Place.Shared()) {
		log.Warn("people are told to connect to this machine, not to the proxy in front of it: set --public-address, or LUDOTECA_PUBLIC_ADDRESS")
	}
}

// invitation returns the line that can be pasted to visit the club: from anywhere if it is known how people reach the club, else from this
// machine.
func (s *Config) invitation(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	switch {
	case s.PublicAddress != "":
		return s.address.SSH("")
	case !ok:
		return at.String()
	case tcp.IP.IsUnspecified():
		return text.Address{Host: localhost, Port: tcp.Port}.SSH("")
	}
	return AddressOf(tcp).SSH("")
}

// addressAt returns how people reach a club that listens at an address.
func (s *Config) addressAt(at net.Addr) text.Address {
	tcp, ok := at.(*net.TCPAddr)
	if s.PublicAddress != "" || !ok {
		return s.address
	}
	return AddressOf(tcp)
}

const localhost = "localhost"

// AddressOf returns how people reach a club that listens on an address of this machine: by the name of the machine if it listens on all of them.
func AddressOf(at *net.TCPAddr) text.Address {
	host := localhost
	switch {
	case at.IP.IsUnspecified():
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	case !at.IP.IsLoopback():
		host = text.Address{Host: at.IP.String(), Port: 22}.String() // with the brackets of IPv6
	}
	address, err := text.ParseAddress(host)
	if err != nil {
		address.Host = localhost // the machine has a name that no client takes
	}
	address.Port = at.Port
	return address
}
