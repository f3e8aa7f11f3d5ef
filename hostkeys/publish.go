package hostkeys

import (
	"crypto/sha256"
	"fmt"
	"net"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
)

// KnownHosts returns the line of a known_hosts file for a server with this key. host is a name or an address, port 1 to 65535.
func KnownHosts(host string, port int, key ssh.PublicKey) string {
	if port != 22 {
		host = "[" + host + "]:" + strconv.Itoa(port)
	}
	return host + " " + strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// SSHFP returns the DNS record of an Ed25519 or RSA key for the zone of a host's name. With it, ssh -o VerifyHostKeyDNS=yes knows the
// server (RFC 4255, RFC 7479). ok is false for an address, which has no records.
func SSHFP(host string, key ssh.PublicKey) (record string, ok bool) {
	if net.ParseIP(host) != nil {
		return "", false
	}
	const rsa, ed25519, sha2 = 1, 4, 2 // algorithms, and hash
	algorithm := ed25519
	if key.Type() == ssh.KeyAlgoRSA {
		algorithm = rsa
	}
	return fmt.Sprintf("%s. IN SSHFP %d %d %x", strings.TrimSuffix(host, "."), algorithm, sha2, sha256.Sum256(key.Marshal())), true
}
