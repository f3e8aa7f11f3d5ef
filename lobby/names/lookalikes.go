package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// skeleton replaces characters that look alike by the same letter, and drops separators and marks. It is for comparing
// only, and merges more than it must: l and i, for example.
func skeleton(s string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
	return pairs.Replace(letters.Replace(bare))
}

// letters maps each character to the lower-case letter that it looks like.
var letters = strings.NewReplacer(
	"-", "", "_", "", ".", "",
	"0", "o", "1", "l", "i", "l", "|", "l", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "9", "g",

	// Latin letters with a stroke, a hook or no dot, and those of phonetics
	"ɑ", "a", "ƀ", "b", "ƃ", "b", "ɓ", "b", "ƈ", "c", "đ", "d", "ð", "d", "ɖ", "d", "ɗ", "d", "ə", "e", "ɛ", "e", "ɇ", "e",
	"ƒ", "f", "ɡ", "g", "ɠ", "g", "ǥ", "g", "ħ", "h", "ɦ", "h", "ı", "l", "ɨ", "l", "ɩ", "l", "ȷ", "j", "ɉ", "j", "ƙ", "k",
	"ĸ", "k", "ł", "l", "ƚ", "l", "ɫ", "l", "ɬ", "l", "ɭ", "l", "ɱ", "m", "ƞ", "n", "ŋ", "n", "ɲ", "n", "ɳ", "n", "ø", "o",
	"ɵ", "o", "ƥ", "p", "ɋ", "q", "ʠ", "q", "ɍ", "r", "ɼ", "r", "ɽ", "r", "ɾ", "r", "ƨ", "s", "ʂ", "s", "ŧ", "t", "ƭ", "t",
	"ʈ", "t", "ʉ", "u", "ʋ", "v", "ƴ", "y", "ɏ", "y", "ƶ", "z", "ʐ", "z",

	// small capitals
	"ᴀ", "a", "ʙ", "b", "ᴄ", "c", "ᴅ", "d", "ᴇ", "e", "ꜰ", "f", "ɢ", "g", "ʛ", "g", "ʜ", "h", "ɪ", "l", "ᴊ", "j", "ᴋ", "k",
	"ʟ", "l", "ᴌ", "l", "ᴍ", "m", "ɴ", "n", "ᴏ", "o", "ᴘ", "p", "ʀ", "r", "ꜱ", "s", "ᴛ", "t", "ᴜ", "u", "ᴠ", "v", "ᴡ", "w",
	"ʏ", "y", "ᴢ", "z",

	// Cyrillic
	"а", "a", "в", "b", "е", "e", "і", "l", "ј", "j", "к", "k", "м", "m", "н", "h", "о", "o", "р", "p", "с", "c", "ѕ", "s",
	"т", "t", "у", "y", "х", "x", "г", "r",

	// Greek
	"α", "a", "β", "b", "ε", "e", "ζ", "z", "η", "h", "ι", "l", "κ", "k", "μ", "m", "ν", "v", "ο", "o", "ρ", "p", "τ", "t",
	"υ", "u", "χ", "x",

	// Lisu, whose letters are Latin capitals
	"ꓮ", "a", "ꓐ", "b", "ꓚ", "c", "ꓓ", "d", "ꓰ", "e", "ꓝ", "f", "ꓖ", "g", "ꓧ", "h", "ꓲ", "l", "ꓙ", "j", "ꓗ", "k", "ꓡ", "l",
	"ꓟ", "m", "ꓠ", "n", "ꓳ", "o", "ꓑ", "p", "ꓣ", "r", "ꓢ", "s", "ꓔ", "t", "ꓴ", "u", "ꓦ", "v", "ꓪ", "w", "ꓫ", "x", "ꓬ", "y",
	"ꓜ", "z",
)

// pairs maps two letters to the one letter that they look like together.
var pairs = strings.NewReplacer("vv", "w", "rn", "m")
