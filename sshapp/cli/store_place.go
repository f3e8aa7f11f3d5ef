package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"ludoteca/sshapp"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/etcd"
)

// A storePlace is where the store of a club is, in the data folder or on etcd, and how to reach it. The password is not a flag, because
// every user of the machine can read those.
type storePlace struct {
	store        string
	caFile       string
	certFile     string
	keyFile      string
	user         string
	passwordFile string
	password     string

	endpoints []string // in store
	club      string   // in store: the name of the club on the cluster
}

const (
	onFile        = "bolt"
	onEtcd        = "etcd"
	etcdScheme    = "etcd://"
	passwordEnv   = "LUDOTECA_STORE_PASSWORD"
	defaultClub   = "club"
	maxPassword   = 4 << 10 // bytes of the file
	nodeLock      = "node.lock"
	maxNodeName   = 40
	clubsOnEtcd   = "/ludoteca/"
	storeUsage    = "where everything is kept: bolt, a file in the data folder; or etcd://HOST:PORT[,HOST:PORT...][/CLUB], for several nodes"
	passwordUsage = "file whose first line is the password of --store-user; without it the password is taken from " + passwordEnv
)

func defaultStorePlace() storePlace { return storePlace{store: onFile} }

// flags returns the flags that say where the store is and how to reach it.
func (s *storePlace) flags() []sshapp.Flag {
	return []sshapp.Flag{
		named("store", &s.store, storeUsage),
		named("store-ca", &s.caFile, "PEM file with the certificate authorities for the members of etcd; turns on TLS"),
		named("store-cert", &s.certFile, "PEM file with the client certificate for etcd"),
		named("store-key", &s.keyFile, "PEM file with the key of --store-cert"),
		named("store-user", &s.user, "user name for etcd"),
		named("store-password-file", &s.passwordFile, passwordUsage),
	}
}

func (s *storePlace) onEtcd() bool { return s.store != onFile }

var clubName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// check parses the flags and reads the password. The error says which flag is wrong, and why.
func (s *storePlace) check(env func(string) (string, bool)) error {
	for _, other := range []struct{ flag, value string }{
		{"store-ca", s.caFile}, {"store-cert", s.certFile}, {"store-key", s.keyFile}, {"store-user", s.user}, {"store-password-file", s.passwordFile},
	} {
		if other.value != "" && !s.onEtcd() {
			return fmt.Errorf("--%s is for a store on etcd: --store etcd://HOST:PORT", other.flag)
		}
	}
	if !s.onEtcd() {
		return nil
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
	password, set := env(passwordEnv)
	if s.passwordFile != "" {
		text, err := readShort(s.passwordFile, maxPassword)
		if err != nil {
			return fmt.Errorf("--store-password-file: %w", err)
		}
		password, _, _ = strings.Cut(text, "\n")
		password, set = strings.TrimSuffix(password, "\r"), true
	}
	if !set || password == "" {
		return fmt.Errorf("--store-user needs a password: in %s, or in the file that --store-password-file names", passwordEnv)
	}
	if far := s.unencrypted(); far != "" {
		return fmt.Errorf("--store-user needs --store-ca: without TLS everybody on the way to %s could read the password", far)
	}
	s.password = password
	return nil
}

// checkAddress parses the address of a cluster.
func (s *storePlace) checkAddress() error {
	wrong := func(why string) error {
		return fmt.Errorf("--store %q: %s; use bolt, or etcd://HOST:PORT[,HOST:PORT...]", s.store, why)
	}
	rest, ok := strings.CutPrefix(s.store, etcdScheme)
	if !ok {
		return wrong("unknown kind of store")
	}
	if strings.Contains(rest, "@") {
		rest = rest[strings.LastIndex(rest, "@")+1:]
		s.store = etcdScheme + rest // what a person reads shows no password
		return wrong("every user of this machine could read the password; use --store-user and " + passwordEnv)
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
func (s *storePlace) unencrypted() string {
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

// open connects to the cluster.
func (s *storePlace) open(ctx context.Context, log *slog.Logger, meters kv.Meters) (*etcd.Store, error) {
	if far := s.unencrypted(); far != "" {
		log.Warn("the way to etcd on another machine is not encrypted: who is on it can read and change everything; --store-ca turns on TLS", "member", far)
	}
	return etcd.Open(ctx, etcd.Options{
		Endpoints: s.endpoints, Namespace: clubsOnEtcd + s.club + "/", CAFile: s.caFile, CertFile: s.certFile, KeyFile: s.keyFile,
		Username: s.user, Password: s.password, Log: log, Meters: meters,
	})
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

// lockFolder makes sure that only one node on etcd uses a data folder. A club with a file locks the file itself.
func lockFolder(data string) (unlock func() error, err error) {
	path := filepath.Join(data, nodeLock)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errors.New("another node is running on this data folder")
		}
		return nil, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	return f.Close, nil
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
