//go:build linux

package abusetest

import "slices"

// lookalikes are names that look like alice. staffNames are names that look like the club's own people.
var (
	lookalikes = []string{
		"alice", "Alice", "ALICE", "aIice", "a1ice", "alıce", "аlice", "alicе", "аlісе", "a.lice", "al-ice", "a_l_i_c_e",
		"a-l-i-c-e", "ali.ce", "A1ICE", "ａlice", "aliсe", "ꓮꓡꓲꓚꓰ", "a\u0332lice", "alic\u0331e",
	}
	staffNames = []string{
		"admin", "the-admin", "theadmin", "administrator", "admin1", "ludoteca", "ludoteca-staff", "ludotecastaff", "staff", "club.staff",
		"moderator", "the-moderator", "operator", "0perator", "root", "guest-1", "Champion", "master",
		"ꓮꓓꓟꓲꓠ", "ꓢꓬꓢꓔꓰꓟ", "ꓚꓧꓮꓟꓑꓲꓳꓠ",
	}
)

// similarNames has strangers ask for names that others would mistake for the name of another player.
func similarNames(w *world) {
	c := w.start()
	if out := c.person("alice", v4(1, 0, 1)).must("whoami"); out == "" {
		w.Error("alice has no account")
	}
	c.person("alice", v4(1, 0, 1)).must("name alice")
	got := c.impersonate(nil)
	w.figure("names: %d of %d look-alikes of alice and names of staff are taken: %q", len(got), len(lookalikes)+len(staffNames), got)
	if len(got) > 0 {
		w.Errorf("strangers may take %q beside alice", got)
	}
}

// impersonate asks for each name, from an address of its own, until stop is closed. It returns the names that the club has granted.
func (c *club) impersonate(stop <-chan struct{}) (got []string) {
	all := append(slices.Clone(lookalikes), staffNames...)
	until(stop, len(all), func(i int) {
		p, err := c.signIn("", v6(1+uint16(i/20), i, 1)) // a block signs up no more than that
		if err != nil {
			c.fail(err)
			return
		}
		defer p.Close()
		_, err = p.ask("name " + all[i])
		switch {
		case err == nil:
			got = append(got, all[i])
			return
		case refused(err):
			_, err = p.ask("name zebra-" + word(i)) // it was the name, not the person
		}
		if err != nil {
			c.fail(err)
		}
	})
	return got
}

// word writes a number with letters, so that names that end with it don't look alike.
func word(i int) string { return string([]rune{'a' + rune(i/26), 'b', 'a' + rune(i%26), 'k'}) }
