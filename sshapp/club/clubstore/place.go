package clubstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"ludoteca/sshapp/flagset"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/etcd"
)

// A Place is where the store of a club is, in the data folder, on etcd or on PostgreSQL, and how to reach it. The password is not a flag, because
// every user of the machine can read those.
type Place struct {
	Store string // OnFile, or an address that begins with EtcdScheme or one of PostgresSchemes

	caFile       string
	certFile     string
	keyFile      string
	user         string
	passwordFile string
	password     string

	endpoints []string // in Store, of etcd
	address   string   // in Store, of PostgreSQL
	club      string   // in Store: the name of the club there
}

// The kinds of a store, and what begins the address of one on etcd.
const (
	OnFile     = "bolt"
	OnEtcd     = "etcd"
	OnPostgres = "postgres"
	EtcdScheme = "etcd://"
)

// PasswordVariable is the environment variable with the password for etcd.
const PasswordVariable = "LUDOTECA_STORE_PASSWORD"

const (
	defaultClub = "club"
	maxPassword = 4 << 10 // bytes of the file
	clubsOnEtcd = "/ludoteca/"
	flagGroup   = "The store"
)

// DefaultPlace returns a file in the data folder.
func DefaultPlace() Place { return Place{Store: OnFile} }

// AddFlags declares the flags that say where the store is and how to reach it.
func (s *Place) AddFlags(to *pflag.FlagSet) {
	flagset.Add(to, flagGroup, func(f *pflag.FlagSet) {
		f.StringVar(&s.Store, "store", s.Store, "where everything is kept, as a `PLACE`: bolt, a file in the data folder; etcd://HOST:PORT[,HOST:PORT...][/CLUB], for several nodes; or postgres://USER@HOST:PORT/DATABASE[?club=CLUB], for an archive that outgrows both")
	})
	s.AddEtcdFlags(to)
}

// AddEtcdFlags declares the flags that say how to reach etcd.
func (s *Place) AddEtcdFlags(to *pflag.FlagSet) {
	flagset.Add(to, flagGroup, func(f *pflag.FlagSet) {
		f.StringVar(&s.caFile, "store-ca", s.caFile, "PEM `FILE` with the certificate authorities for the members of etcd; turns on TLS")
		f.StringVar(&s.certFile, "store-cert", s.certFile, "PEM `FILE` with the client certificate for etcd")
		f.StringVar(&s.keyFile, "store-key", s.keyFile, "PEM `FILE` with the key of --store-cert")
		f.StringVar(&s.user, "store-user", s.user, "user `NAME` for etcd")
		f.StringVar(&s.passwordFile, "store-password-file", s.passwordFile, "`FILE` whose first line is the password of --store-user; without it the password is taken from "+PasswordVariable)
	})
}

// Shared reports whether the store is one that several nodes can share, on etcd or PostgreSQL.
func (s *Place) Shared() bool { return s.Store != OnFile }

var clubName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// Check parses the flags and reads the password. The error says which flag is wrong, and why.
func (s *Place) Check(env func(string) (string, bool)) error {
	for _, other := range []struct{ flag, value string }{
		{"store-ca", s.caFile}, {"store-cert", s.certFile}, {"store-key", s.keyFile}, {"store-user", s.user}, {"store-password-file", s.passwordFile},
	} {
		if other.value != "" && !s.Shared() {
			return fmt.Errorf("--%s is for a store on etcd: --store etcd://HOST:PORT", other.flag)
		}
	}
	if !s.Shared() {
		return nil
	}
	if onPostgres(s.Store) {
		if err := s.noEtcdFlags(); err != nil {
			return err
		}
		return s.checkPostgres()
	}
	if err := s.checkAddress(); err != nil {
		return err
	}
	switch {
	case (s.certFile == "") != (s.keyFile == ""):
		return errors.New("--store-cert and --store-key belong together")
	case s.certFile != "" && s.caFile == "":
		return errors.New("--store-cert needs --store-ca, by which the members of etcd are known")
	case s.user == "" && s.passwordFile != "":
		return errors.New("--store-password-file needs --store-user")
	case s.user == "":
		return nil
	}
	password, set := env(PasswordVariable)
	if s.passwordFile != "" {
		text, err := readShort(s.passwordFile, maxPassword)
		if err != nil {
			return fmt.Errorf("--store-password-file: %w", err)
		}
		password, _, _ = strings.Cut(text, "\n")
		password, set = strings.TrimSuffix(password, "\r"), true
	}
	if !set || password == "" {
		return fmt.Errorf("--store-user needs a password: in %s, or in the file that --store-password-file names", PasswordVariable)
	}
	if far := s.unencrypted(); far != "" {
		return fmt.Errorf("--store-user needs --store-ca: without TLS everybody on the way to %s could read the password", far)
	}
	s.password = password
	return nil
}

// checkAddress parses the address of a cluster.
func (s *Place) checkAddress() error {
	wrong := func(why string) error {
		return fmt.Errorf("--store %q: %s; use bolt, etcd://HOST:PORT[,HOST:PORT...], or postgres://USER@HOST:PORT/DATABASE", s.Store, why)
	}
	rest, ok := strings.CutPrefix(s.Store, EtcdScheme)
	if !ok {
		return wrong("unknown kind of store")
	}
	if strings.Contains(rest, "@") {
		rest = rest[strings.LastIndex(rest, "@")+1:]
		s.Store = EtcdScheme + rest // what a person reads shows no password
		return wrong("every user of this machine could read the password; use --store-user and " + PasswordVariable)
	}
	hosts, club, named := strings.Cut(rest, "/")
	if !named {
		club = defaultClub
	}
	if !clubName.MatchString(club) {
		return wrong("a club's name has up to 40 lower-case letters, digits and -")
	}
	s.club, s.endpoints = club, nil
	for endpoint := range strings.SplitSeq(hosts, ",") {
		host, port, err := net.SplitHostPort(endpoint)
		if err != nil || host == "" || strings.ContainsAny(host, " \t\n") {
			return wrong(fmt.Sprintf("%q is not HOST:PORT", endpoint))
		}
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return wrong(fmt.Sprintf("%q is not a port", port))
		}
		s.endpoints = append(s.endpoints, endpoint)
	}
	return nil
}

// unencrypted returns the first member of etcd on another machine to which the way is not encrypted; "" if there is none.
func (s *Place) unencrypted() string {
	if s.caFile != "" {
		return ""
	}
	for _, endpoint := range s.endpoints {
		host, _, err := net.SplitHostPort(endpoint)
		addr, noAddr := netip.ParseAddr(host)
		if here := err == nil && (strings.EqualFold(host, "localhost") || noAddr == nil && addr.Unmap().IsLoopback()); !here {
			return endpoint
		}
	}
	return ""
}

// A shared is an engine that several nodes can share.
type shared interface {
	kv.Store
	engine
}

// open connects to etcd or PostgreSQL.
func (s *Place) open(ctx context.Context, log *slog.Logger, meters kv.Meters) (shared, error) {
	if onPostgres(s.Store) {
		opened, err := s.openPostgres(ctx, log, meters)
		if err != nil {
			return nil, err
		}
		return database{opened}, nil
	}
	if far := s.unencrypted(); far != "" {
		log.Warn("the way to etcd on another machine is not encrypted: who is on it can read and change everything; --store-ca turns on TLS", "member", far)
	}
	opened, err := etcd.Open(ctx, etcd.Options{
		Endpoints: s.endpoints, Namespace: clubsOnEtcd + s.club + "/", CAFile: s.caFile, CertFile: s.certFile, KeyFile: s.keyFile,
		Username: s.user, Password: s.password, Log: log, Meters: meters,
	})
	if err != nil {
		return nil, err
	}
	return cluster{opened}, nil
}

// readShort reads a file of at most the given number of bytes.
func readShort(path string, most int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > most {
		return "", fmt.Errorf("%s has more than %d bytes", path, most)
	}
	text, err := os.ReadFile(path)
	return string(text), err
}
