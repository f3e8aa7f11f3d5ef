package notices

import (
	"net/mail"
	"strings"
	"testing"
	"unicode"

	"ludoteca/storage/notices"
)

func TestParseMail(t *testing.T) {
	for address, same := range map[string]string{
		"ana@example.com": "ana@example.com", "Ana.Costa+club@Example.COM": "ana.costa@example.com", "+x@example.com": "+x@example.com", "ana@localhost": "ana@localhost",
		strings.Repeat("a", 64) + "@example.com": strings.Repeat("a", 64) + "@example.com",
		"":                                       "", "ana": "", "ana@": "", "@example.com": "", "ana@@example.com": "", "ana@example.com\r\nBcc: eve@example.com": "",
		"ana@example.com\n": "", "ana@example.com, eve@example.com": "", "ana@example.com;eve@example.com": "", "Ana <ana@example.com>": "", "<ana@example.com>": "",
		`"ana"@example.com`: "", "ana(x)@example.com": "", "ana@[192.0.2.1]": "", "eve%example.com@relay": "", "relay!eve@example.com": "", "ana @example.com": "",
		"joão@example.com": "", "ana@münchen.de": "", "ana\x00@example.com": "", "a..b@example.com": "", "ana@example..com": "", "group:ana@example.com;": "",
		strings.Repeat("a", 65) + "@example.com": "", "ana@" + strings.Repeat("a.", 130) + "com": "",
	} {
		to, err := ParseMail(address)
		if (err == nil) != (same != "") || to.Same != same || err == nil && (to.To != address || to.Kind != notices.Mail) {
			t.Errorf("ParseMail(%q) = %+v, %v; want %q", address, to, err, same)
		}
	}
}

func TestParseTopic(t *testing.T) {
	for topic, ok := range map[string]bool{
		"abcdefghij-_4567": true, strings.Repeat("A", 64): true, "abcdefghijklmno": false, strings.Repeat("A", 65): false, "abcdefghijklmno/": false,
		"abcdefghijklmno é": false, "../../../../../../": false, "abcdefghijklmnop\r\n": false, "abcdefghijklmnop?x=1": false, "": false,
	} {
		if to, err := ParseTopic(topic); (err == nil) != ok || ok && to.To != topic {
			t.Errorf("ParseTopic(%q) = %+v, %v", topic, to, err)
		}
	}
}

// FuzzParseMail: an address that is read is one address, as it is, in ASCII without spaces.
func FuzzParseMail(f *testing.F) {
	f.Add("ana@example.com")
	f.Add("ana@example.com\r\nBcc: eve@example.com")
	f.Add(`"a b"@example.com`)
	f.Fuzz(func(t *testing.T, address string) {
		to, err := ParseMail(address)
		if err != nil {
			return
		}
		all, err := mail.ParseAddressList(to.To)
		if err != nil || len(all) != 1 || all[0].Address != address || all[0].Name != "" || len(to.To) > 254 {
			t.Errorf("%q is read as %+v, %v", address, all, err)
		}
		if strings.ContainsFunc(to.To, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) || unicode.IsControl(r) }) {
			t.Errorf("%q is read", address)
		}
	})
}
