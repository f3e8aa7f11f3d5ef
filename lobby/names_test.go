package lobby

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"ludoteca/storage"
)

func TestCheckName(t *testing.T) {
	tests := []struct {
		name, in string
		shown    string // "" if it is refused
		key      string
		problem  NameProblem
	}{
		{"plain", "ana", "ana", "ana", 0},
		{"capitals", "Ana", "Ana", "ana", 0},
		{"digits", "ana7", "ana7", "ana7", 0},
		{"separators", "ana-rui_bia.zé", "ana-rui_bia.zé", "ana-rui_bia.zé", 0},
		{"accents apart", "joa\u0303o", "joão", "joão", 0},
		{"fullwidth", "Ａｎａ", "Ana", "ana", 0},
		{"greek", "Ελένη", "Ελένη", "ελένη", 0},
		{"cyrillic", "Ольга", "Ольга", "ольга", 0},
		{"chinese", "小明", "小明", "小明", 0},
		{"hebrew", "שלום", "שלום", "שלום", 0},
		{"arabic digits", "علي٣", "علي٣", "علي٣", 0},
		{"hindi", "हिन्दी", "हिन्दी", "हिन्दी", 0},
		{"katakana", "コーヒー", "コーヒー", "コーヒー", 0},
		{"hiragana", "らーめん", "らーめん", "らーめん", 0},
		{"crooked letters", "kılıç-ɖøŋ", "kılıç-ɖøŋ", "kılıç-ɖøŋ", 0},
		{"twenty", strings.Repeat("a", 20), strings.Repeat("a", 20), strings.Repeat("a", 20), 0},
		{"talbot's cousin", "botany", "botany", "botany", 0},

		{"empty", "", "", "", NameShort},
		{"one letter", "a", "", "", NameShort},
		{"one wide letter", "小", "小", "小", 0},
		{"twenty-one", strings.Repeat("a", 21), "", "", NameLong},
		{"eleven wide", strings.Repeat("明", 11), "", "", NameLong},
		{"megabytes", strings.Repeat("a", 5<<20), "", "", NameLong},
		{"space", "ana rui", "", "", NameCharacters},
		{"outer space", " ana", "", "", NameCharacters},
		{"escape sequence", "ana\x1b[31m", "", "", NameCharacters},
		{"title sequence", "\x1b]0;root\a", "", "", NameCharacters},
		{"C1 control", "ana\u009b31m", "", "", NameCharacters},
		{"bell", "ana\a", "", "", NameCharacters},
		{"newline", "ana\nroot", "", "", NameCharacters},
		{"NUL", "ana\x00", "", "", NameCharacters},
		{"bad UTF-8", "ana\xff", "", "", NameCharacters},
		{"right-to-left override", "ana\u202egro", "", "", NameCharacters},
		{"isolate", "ana\u2066x\u2069", "", "", NameCharacters},
		{"zero width space", "an\u200ba", "", "", NameCharacters},
		{"zero width joiner", "an\u200da", "", "", NameCharacters},
		{"word joiner", "an\u2060a", "", "", NameCharacters},
		{"soft hyphen", "an\u00ada", "", "", NameCharacters},
		{"variation selector", "ana\ufe0f", "", "", NameCharacters},
		{"tag", "ana\U000e0061", "", "", NameCharacters},
		{"grapheme joiner", "an\u034fa", "", "", NameCharacters},
		{"hangul filler", "an\u3164a", "", "", NameCharacters},
		{"emoji", "ana🙂", "", "", NameCharacters},
		{"slash", "ana/rui", "", "", NameCharacters},
		{"quotes", "a\"na", "", "", NameCharacters},
		{"braille blank", "ana\u2800", "", "", NameCharacters},
		{"leading dash", "-ana", "", "", NameEdges},
		{"trailing dot", "ana.", "", "", NameEdges},
		{"two in a row", "ana--rui", "", "", NameEdges},
		{"only separators", "---", "", "", NameEdges},
		{"latin and cyrillic", "аnа", "", "", NameScripts},
		{"latin and greek", "anα", "", "", NameScripts},
		{"latin with Indian digits", "ana७", "", "", NameScripts},
		{"stacked marks", "a\u0316\u0324\u0316na", "", "", NameMarks},
		{"mark first", "\u0301ana", "", "", NameCharacters},
		{"a long vowel after latin", "anaー", "", "", NameScripts},
		{"guest", "guest-7K2Q", "", "", NameReserved},
		{"guest in disguise", "Gu3st7", "", "", NameReserved},
		{"staff", "Admin", "", "", NameReserved},
		{"staff in disguise", "r00t", "", "", NameReserved},
		{"staff with dots", "a.d.m.i.n", "", "", NameReserved},
		{"staff with number", "admin1", "", "", NameReserved},
		{"the club", "ludoteca", "", "", NameReserved},
		{"the club in disguise", "1ud0teca", "", "", NameReserved},
		{"level", "Greedy", "", "", NameReserved},
		{"bot", "magusbot", "", "", NameReserved},
		{"bot in disguise", "magus-b0t", "", "", NameReserved},
		{"fullwidth staff", "ｒｏｏｔ", "", "", NameReserved},
		{"guest with a phonetic letter", "ɡuest-7K2Q", "", "", NameReserved},
		{"guest with an accent", "gúest-7K2Q", "", "", NameReserved},
		{"guest in small capitals", "ɢᴜᴇꜱᴛ", "", "", NameReserved},
		{"guest in Lisu", "ꓖꓴꓰꓢꓔ-7", "", "", NameReserved},
		{"staff with an accent", "admín", "", "", NameReserved},
		{"staff with a mark apart", "admi\u0323n", "", "", NameReserved},
		{"staff with a phonetic letter", "ɑdmin", "", "", NameReserved},
		{"staff with a stroke", "ađmin", "", "", NameReserved},
		{"staff in pairs", "rn-od", "", "", NameReserved},
		{"bot with a hook", "magus-ɓot", "", "", NameReserved},
		{"bot in cyrillic", "магвот", "", "", NameReserved},
		{"bot in greek", "ΜΑΓΒΟΤ", "", "", NameReserved},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			shown, key, err := CheckName(tt.in)
			var problem NameProblem
			if e := (*NameError)(nil); errors.As(err, &e) {
				problem = e.Problem
				if e.Error() == (&NameError{}).Error() {
					t.Errorf("problem %d has no words", problem)
				}
			}
			if shown != tt.shown || key != tt.key || problem != tt.problem || (err == nil) != (problem == 0) {
				t.Errorf("CheckName(%.40q) = %q, %q, %v; want %q, %q, problem %d", tt.in, shown, key, err, tt.shown, tt.key, tt.problem)
			}
		})
	}
}

func FuzzCheckName(f *testing.F) {
	for _, s := range []string{"ana", "Ｊｏãｏ", "\x1b[2J", "a\u202eb", "小明", "guest-1", "a\u0300\u0301", "ß", "İi", "ſs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		shown, key, err := CheckName(in)
		if err != nil {
			if e := (*NameError)(nil); !errors.As(err, &e) || shown != "" || key != "" {
				t.Fatalf("CheckName(%q) = %q, %q, %v", in, shown, key, err)
			}
			return
		}
		if !utf8.ValidString(shown) || strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }) {
			t.Fatalf("CheckName(%q) lets %q through", in, shown)
		}
		if len([]rune(shown)) > 2*maxNameCells {
			t.Fatalf("CheckName(%q) lets a name of %d characters through", in, len([]rune(shown)))
		}
		if shown2, key2, err := CheckName(shown); shown2 != shown || key2 != key || err != nil {
			t.Fatalf("CheckName(%q) = %q, %q, %v; of itself %q, %q", shown, shown2, key2, err, shown, key)
		}
	})
}

func TestAccounts(t *testing.T) {
	c := newClub(t)
	if c.ana.Kind != "player" || c.ana.Name != "ana" || c.ana.Player() == "" {
		t.Errorf("ana is %+v", c.ana)
	}
	who, _, err := c.SignIn(t.Context(), "key of ana")
	if who != c.ana || err != nil {
		t.Errorf("signing in again: %+v, %v", who, err)
	}
	_, err = c.SignUp(t.Context(), "another key", "ANA")
	wantErr(t, "the name of another", err, ErrNameTaken)
	_, err = c.SignUp(t.Context(), "key of ana", "anabel")
	wantErr(t, "a second name", err, ErrHasAccount)
	_, err = c.SignUp(t.Context(), "another key", "root")
	if e := (*NameError)(nil); !errors.As(err, &e) {
		t.Errorf("a reserved name: %v", err)
	}
	for in, want := range map[string]string{"bia": "bia", "ana": "", "root": "", "\x1b[2J": "", "": ""} {
		if got := c.SuggestName(t.Context(), in); got != want {
			t.Errorf("SuggestName(%q) = %q, want %q", in, got, want)
		}
	}
	wantErr(t, "a guest's settings", c.SaveSettings(t.Context(), c.guest, c.settingsOf(c.ana)), ErrNeedsKey)
	_, err = c.Profile(t.Context(), "nobody-here")
	wantErr(t, "an unknown profile", err, ErrNoSuchPlayer)
	_, err = c.Profile(t.Context(), "\x00")
	wantErr(t, "a bad name", err, ErrNoSuchPlayer)
	if keys, err := c.Fingerprints(t.Context(), c.ana); err != nil || len(keys) != 1 || keys[0] != "key of ana" {
		t.Errorf("keys: %v, %v", keys, err)
	}
}

// TestOldNames: what was a good name once finds its player for ever, however strict names have become since.
func TestOldNames(t *testing.T) {
	c := newClub(t)
	const name = "Ludoteca"
	if _, _, err := CheckName(name); err == nil {
		t.Fatalf("%s is a good name today", name)
	}
	old := storage.Player{Name: name, NameKey: "ludoteca", Since: time.Unix(1e9, 0).UTC()}
	if _, err := c.store.SignUp(t.Context(), old, "key of old"); err != nil {
		t.Fatal(err)
	}
	if p, err := c.Profile(t.Context(), "LUDOTECA"); err != nil || p.Name != name {
		t.Errorf("Profile = %+v, %v", p, err)
	}
	if _, _, err := c.History(t.Context(), HistoryQuery{Name: name, Limit: 1}); err != nil {
		t.Errorf("History: %v", err)
	}
}

func TestGuestNames(t *testing.T) {
	c := newClub(t)
	one, same, other := c.Guest("1"), c.Guest("1"), c.Guest("2")
	if one != same || one.ID == other.ID {
		t.Errorf("guests %+v, %+v, %+v", one, same, other)
	}
	if _, _, err := CheckName(one.Name); err == nil {
		t.Errorf("a player could be called %s", one.Name)
	}
	if strings.Contains(one.ID, "1") && len(one.ID) < 32 {
		t.Errorf("the id %s can be guessed", one.ID)
	}
}

func TestSettings(t *testing.T) {
	c := newClub(t)
	s := c.settingsOf(c.ana)
	s.Mute, s.Theme = true, "dark"
	if err := c.SaveSettings(t.Context(), c.ana, s); err != nil {
		t.Fatal(err)
	}
	if got := c.settingsOf(c.ana); got != s {
		t.Errorf("settings %+v, want %+v", got, s)
	}
}
