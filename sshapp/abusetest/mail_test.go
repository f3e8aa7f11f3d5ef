//go:build linux

package abusetest

import (
	"fmt"
	"strings"
	"testing"

	"ludoteca/sshapp/notices/mail/mailtest"
)

// serveMail starts a mail server, and returns it with the flag for a club.
func serveMail(t testing.TB) (s *mailtest.Server, flag string) {
	t.Helper()
	s = new(mailtest.Server)
	s.Serve(t)
	return s, fmt.Sprintf("--smtp=smtp://%s?from=club@example.com", s.Addr())
}

// mailedCode waits for a letter with a code to an address, and returns the code.
func mailedCode(t testing.TB, s *mailtest.Server, to string) (code string) {
	t.Helper()
	s.Wait(t, "a code to "+to, func(all []mailtest.Letter) bool {
		for _, l := range all {
			if _, rest, is := strings.Cut(l.Text, "notify confirm "); is && l.To == to {
				code = strings.TrimSpace(rest[:strings.IndexAny(rest, "\r\n")])
				return true
			}
		}
		return false
	})
	return code
}

// waitForMail waits until as many letters have come to an address.
func waitForMail(t testing.TB, s *mailtest.Server, to string, want int) {
	t.Helper()
	s.Wait(t, fmt.Sprintf("%d letters to %s", want, to), func(all []mailtest.Letter) bool {
		n := 0
		for _, l := range all {
			if l.To == to {
				n++
			}
		}
		return n >= want
	})
}
