package text

import (
	"strings"
	"testing"
)

// TestAddress: what is read as an address is written the same, and stands in commands as clients take it.
func TestAddress(t *testing.T) {
	for _, tt := range []struct{ text, written, joins string }{
		{"play.example.com", "play.example.com", "ssh -t play.example.com join K7QM2X"},
		{"play.example.com:22", "play.example.com", "ssh -t play.example.com join K7QM2X"},
		{"localhost:2222", "localhost:2222", "ssh -t -p 2222 localhost join K7QM2X"},
		{"[2001:db8::7]:2222", "[2001:db8::7]:2222", "ssh -t -p 2222 2001:db8::7 join K7QM2X"},
		{"192.0.2.7", "192.0.2.7", "ssh -t 192.0.2.7 join K7QM2X"},
	} {
		a, err := ParseAddress(tt.text)
		if err != nil || a.String() != tt.written {
			t.Errorf("%q is read as %q, %v; want %q", tt.text, a, err, tt.written)
		}
		if got := (Say{}).At(a).In("de").SSHScreen("join K7QM2X"); got != tt.joins {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.joins)
		}
		command := strings.Replace(tt.joins, " -t", "", 1)
		for _, got := range []string{a.SSH("join K7QM2X"), (Say{}).At(a).SSH("join K7QM2X")} {
			if got != command {
				t.Errorf("%q: %q, want %q", tt.text, got, command)
			}
		}
	}
}

// TestLocaleLanguages: LANGUAGE lists languages by preference, and counts unless the locale is C.
func TestLocaleLanguages(t *testing.T) {
	for _, tt := range []struct {
		environ []string
		want    string
	}{
		{[]string{"LANG=pt_PT.UTF-8"}, "pt"},
		{[]string{"LANG=de@euro"}, "de"},
		{[]string{"LANG=en_GB.UTF-8", "LANGUAGE=gl:pt_BR:de"}, "pt"},
		{[]string{"LANGUAGE=de"}, "de"},
		{[]string{"LANGUAGE=gl:fr", "LANG=de_AT"}, "de"},
		{[]string{"LC_ALL=C", "LANG=de_DE", "LANGUAGE=de"}, "en"},
		{[]string{"LC_ALL=C.UTF-8", "LANGUAGE=de"}, "en"},
		{[]string{"LANGUAGE=", "LANG=de_DE"}, "de"},
		{[]string{"LANGUAGE=en:de", "LANG=de_DE"}, "en"},
	} {
		if got := FromLocale(tt.environ).Code(); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.environ, got, tt.want)
		}
	}
}
