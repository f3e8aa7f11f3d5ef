package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/hostkeys"
)

// place is where people find the club.
type place struct {
	host string
	port int
}

func newHostKey(p process) *cobra.Command {
	var data string
	at := place{host: "localhost", port: 2222}
	cmd := &cobra.Command{
		Use:   "hostkey",
		Short: "Print what people need to know the server by",
		Long: "Print the fingerprint of the server's key, the line for a known_hosts file, and the SSHFP record for the zone of its name.\n\n" +
			"The key is made by the first start of the club.",
		Args: between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if err := at.check(); err != nil {
				return usageError{err}
			}
			path := filepath.Join(data, hostkeys.FileName)
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("there is no host key at %s: the first start of the club makes it; name its folder with --data", path)
			}
			key, err := hostkeys.Open(data)
			if err != nil {
				return err
			}
			return printHostKey(p.stdout, key.PublicKey(), at)
		},
	}
	cmd.Flags().StringVar(&at.host, "host", at.host, "name by which people reach the club")
	cmd.Flags().IntVar(&at.port, "port", at.port, "port on which they do")
	return withData(p, cmd, &data)
}

func (at place) check() error {
	if at.port < 1 || at.port > 65535 {
		return fmt.Errorf("--port %d is no port", at.port)
	}
	if at.host == "" || strings.ContainsFunc(at.host, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(",*?!|#@[]", r) }) {
		return fmt.Errorf("--host %q is no name of a host", at.host)
	}
	return nil
}

// known is how a known_hosts file calls the place.
func (at place) known() string {
	if at.port == 22 {
		return at.host
	}
	return "[" + at.host + "]:" + strconv.Itoa(at.port)
}

func printHostKey(w io.Writer, key gossh.PublicKey, at place) error {
	public := strings.TrimSpace(string(gossh.MarshalAuthorizedKey(key)))
	_, err := fmt.Fprintf(w, "# the fingerprint that ssh shows\n%s\n# a line for known_hosts\n%s %s\n",
		gossh.FingerprintSHA256(key), at.known(), public)
	if err != nil || net.ParseIP(at.host) != nil {
		return err // an address has no record
	}
	// RFC 4255, RFC 7479: algorithm 4 is Ed25519, hash 2 is SHA-256.
	_, err = fmt.Fprintf(w, "# a record for the zone, for ssh -o VerifyHostKeyDNS=yes\n%s. IN SSHFP 4 2 %x\n",
		strings.TrimSuffix(at.host, "."), sha256.Sum256(key.Marshal()))
	return err
}
