package names

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name, in string
		shown    string // "" if it is refused
		key      string
		problem  Problem
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

		{"empty", "", "", "", Short},
		{"one letter", "a", "", "", Short},
		{"one wide letter", "小", "小", "小", 0},
		{"twenty-one", strings.Repeat("a", 21), "", "", Long},
		{"eleven wide", strings.Repeat("明", 11), "", "", Long},
		{"megabytes", strings.Repeat("a", 5<<20), "", "", Long},
		{"space", "ana rui", "", "", Characters},
		{"outer space", " ana", "", "", Characters},
		{"escape sequence", "ana\x1b[31m", "", "", Characters},
		{"title sequence", "\x1b]0;root\a", "", "", Characters},
		{"C1 control", "ana\u009b31m", "", "", Characters},
		{"bell", "ana\a", "", "", Characters},
		{"newline", "ana\nroot", "", "", Characters},
		{"NUL", "ana\x00", "", "", Characters},
		{"bad UTF-8", "ana\xff", "", "", Characters},
		{"right-to-left override", "ana\u202egro", "", "", Characters},
		{"isolate", "ana\u2066x\u2069", "", "", Characters},
		{"zero width space", "an\u200ba", "", "", Characters},
		{"zero width joiner", "an\u200da", "", "", Characters},
		{"word joiner", "an\u2060a", "", "", Characters},
		{"soft hyphen", "an\u00ada", "", "", Characters},
		{"variation selector", "ana\ufe0f", "", "", Characters},
		{"tag", "ana\U000e0061", "", "", Characters},
		{"grapheme joiner", "an\u034fa", "", "", Characters},
		{"hangul filler", "an\u3164a", "", "", Characters},
		{"emoji", "ana🙂", "", "", Characters},
		{"slash", "ana/rui", "", "", Characters},
		{"quotes", "a\"na", "", "", Characters},
		{"braille blank", "ana\u2800", "", "", Characters},
		{"leading dash", "-ana", "", "", Edges},
		{"trailing dot", "ana.", "", "", Edges},
		{"two in a row", "ana--rui", "", "", Edges},
		{"only separators", "---", "", "", Edges},
		{"latin and cyrillic", "аnа", "", "", Scripts},
		{"latin and greek", "anα", "", "", Scripts},
		{"latin with Indian digits", "ana७", "", "", Scripts},
		{"stacked marks", "a\u0316\u0324\u0316na", "", "", Marks},
		{"mark first", "\u0301ana", "", "", Characters},
		{"a long vowel after latin", "anaー", "", "", Scripts},
		{"guest", "guest-7K2Q", "", "", Reserved},
		{"guest in disguise", "Gu3st7", "", "", Reserved},
		{"staff", "Admin", "", "", Reserved},
		{"staff in disguise", "r00t", "", "", Reserved},
		{"staff with dots", "a.d.m.i.n", "", "", Reserved},
		{"staff with number", "admin1", "", "", Reserved},
		{"the club", "ludoteca", "", "", Reserved},
		{"the club in disguise", "1ud0teca", "", "", Reserved},
		{"level", "Greedy", "", "", Reserved},
		{"bot", "magusbot", "", "", Reserved},
		{"bot in disguise", "magus-b0t", "", "", Reserved},
		{"fullwidth staff", "ｒｏｏｔ", "", "", Reserved},
		{"guest with a phonetic letter", "ɡuest-7K2Q", "", "", Reserved},
		{"guest with an accent", "gúest-7K2Q", "", "", Reserved},
		{"guest in small capitals", "ɢᴜᴇꜱᴛ", "", "", Reserved},
		{"guest in Lisu", "ꓖꓴꓰꓢꓔ-7", "", "", Reserved},
		{"staff in Lisu", "ꓮꓓꓟꓲꓠ", "", "", Reserved},
		{"more staff in Lisu", "ꓢꓬꓢꓔꓰꓟ", "", "", Reserved},
		{"staff in Lisu with a low line", "ꓮꓓ\u0332ꓟꓲꓠ", "", "", Reserved},
		{"staff with an accent", "admín", "", "", Reserved},
		{"staff with a mark apart", "admi\u0323n", "", "", Reserved},
		{"staff with a phonetic letter", "ɑdmin", "", "", Reserved},
		{"staff with a stroke", "ađmin", "", "", Reserved},
		{"staff in pairs", "rn-od", "", "", Reserved},
		{"bot with a hook", "magus-ɓot", "", "", Reserved},
		{"bot in cyrillic", "магвот", "", "", Reserved},
		{"the club's staff", "ludoteca-staff", "", "", Reserved},
		{"staff after a word", "theadmin", "", "", Reserved},
		{"staff after a word, in disguise", "TheAdm1n", "", "", Reserved},
		{"staff before a word", "AdminAna", "", "", Reserved},
		{"staff before a word, apart", "mod.ana", "", "", Reserved},
		{"staff between words", "ana-root-x", "", "", Reserved},
		{"staff with a digit inside", "2root2", "", "", Reserved},
		{"a level with a number", "master7", "", "", Reserved},
		{"a capital I for an l", "offIciaI", "", "", Reserved},
		{"a word that begins as a reserved one", "modesto", "modesto", "modesto", 0},
		{"a word that ends as a reserved one", "bayou", "bayou", "bayou", 0},
		{"bot in greek", "ΜΑΓΒΟΤ", "", "", Reserved},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			shown, key, err := Check(tt.in)
			var problem Problem
			if e := (*Error)(nil); errors.As(err, &e) {
				problem = e.Problem
				if e.Error() == (&Error{}).Error() {
					t.Errorf("problem %d has no words", problem)
				}
			}
			if shown != tt.shown || key != tt.key || problem != tt.problem || (err == nil) != (problem == 0) {
				t.Errorf("Check(%.40q) = %q, %q, %v; want %q, %q, problem %d", tt.in, shown, key, err, tt.shown, tt.key, tt.problem)
			}
		})
	}
}

// TestSkeletons: names that are easily mistaken for each other have a common skeleton, and other names don't.
func TestSkeletons(t *testing.T) {
	alike := func(a, b string) bool {
		return slices.ContainsFunc(Skeletons(a), func(s string) bool { return slices.Contains(Skeletons(b), s) })
	}
	for name, others := range map[string][]string{
		"alice":  {"alice", "Alice", "ALICE", "aIice", "a1ice", "alıce", "аlісе", "аӏісе", "ạlice", "alicė", "a.l-i_ce", "ɑlice", "αlice", "ᴀʟɪce", "ꓮlice"},
		"ALICE":  {"ALlCE", "AL1CE"},
		"modern": {"rnodern", "modern", "m0dern"},
		"wanda":  {"vvanda"},
		"bob":    {"b0b", "ВоЬ"},
		"magus":  {"rnagus", "mаgus", "m\u0331agus", "magu\u0332s"},
		"maria":  {"ꓟꓮꓣꓲꓮ", "mari\u0333a", "mar\u0320ia"},
	} {
		for _, other := range others {
			if !alike(name, other) {
				t.Errorf("%s and %s are not alike: %q, %q", name, other, Skeletons(name), Skeletons(other))
			}
		}
	}
	for _, pair := range [][2]string{{"ana", "ane"}, {"zé", "ze"}, {"joão", "joao"}, {"lia", "ila"}, {"rui", "rui2"}, {"小明", "小朋"}, {"ana7", "anat"}} {
		if alike(pair[0], pair[1]) {
			t.Errorf("%s and %s are alike: %q", pair[0], pair[1], Skeletons(pair[0]))
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"ana", "Ｊｏãｏ", "\x1b[2J", "a\u202eb", "小明", "guest-1", "a\u0300\u0301", "ß", "İi", "ſs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		shown, key, err := Check(in)
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || shown != "" || key != "" {
				t.Fatalf("Check(%q) = %q, %q, %v", in, shown, key, err)
			}
			return
		}
		if !utf8.ValidString(shown) || strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }) {
			t.Fatalf("Check(%q) lets %q through", in, shown)
		}
		if len([]rune(shown)) > 2*maxCells {
			t.Fatalf("Check(%q) lets a name of %d characters through", in, len([]rune(shown)))
		}
		if shown2, key2, err := Check(shown); shown2 != shown || key2 != key || err != nil {
			t.Fatalf("Check(%q) = %q, %q, %v; of itself %q, %q", shown, shown2, key2, err, shown, key)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		_, _, _ = Check("joão-da_silva7")
	}
}
