package names

import (
	"slices"
	"strings"
	"unicode"

	"go.mau.fi/util/confusable"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Skeletons returns one or two strings that stand for the look of a name. Two names with a common skeleton are easily mistaken for each
// other. They are skeletons of Unicode Technical Standard 39, with both cases of letters alike, and without separators and without dots and
// lines above and below letters, which are easily overlooked. There may be two because a capital may look like a letter that its small form
// doesn't look like: aIice looks like alice. Lisu has only capitals, and one of them looks like I and l.
func Skeletons(name string) []string {
	fold := func(s string) string { return cases.Fold().String(s) }
	skeleton := func(s string) string {
		s = fold(confusable.Skeleton(s)) // letters without small forms may look like capitals of others: Lisu
		s = norm.NFD.String(smallCapitals.Replace(confusable.Skeleton(s)))
		return strings.ReplaceAll(fold(overlooked.Replace(s)), "vv", "w")
	}
	all := []string{skeleton(name), skeleton(fold(strings.ReplaceAll(name, "ꓲ", "I")))}
	return slices.Compact(all)
}

// SkeletonsVersion is the version of Skeletons. It grows whenever Skeletons returns something else for some name, for instance because of a newer
// table of the standard.
const SkeletonsVersion = 2

// overlooked removes what is easily overlooked: separators, dots above and below, and lines below, which look like separators.
var overlooked = strings.NewReplacer("-", "", "_", "", ".", "", "\u0307", "", "\u0323", "", "\u0320", "", "\u0331", "", "\u0332", "", "\u0333", "",
	"\u0347", "", "\u035f", "")

// staffSkeleton returns a string for comparing a name with reserved words. It is coarser than Skeletons: marks on letters don't count, i and l are
// alike, and digits are replaced by the letters that they resemble.
func staffSkeleton(s string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFD.String(letters.Replace(Skeletons(s)[0])))
	return letters.Replace(bare)
}

// smallCapitals maps small capitals to the letters: the standard doesn't take them as alike.
var smallCapitals = strings.NewReplacer(
	"ᴀ", "a", "ʙ", "b", "ᴄ", "c", "ᴅ", "d", "ᴇ", "e", "ꜰ", "f", "ɢ", "g", "ʛ", "g", "ʜ", "h", "ɪ", "l", "ᴊ", "j", "ᴋ", "k",
	"ʟ", "l", "ᴌ", "l", "ᴍ", "rn", "ʍ", "rn", "ɴ", "n", "ᴏ", "o", "ᴘ", "p", "ʀ", "r", "ꜱ", "s", "ᴛ", "t", "ᴜ", "u", "ᴠ", "v",
	"ᴡ", "w", "ʏ", "y", "ᴢ", "z",
)

// letters maps letters with a stroke or a hook, phonetic letters and digits to the small letters that they stand for.
var letters = strings.NewReplacer(
	"i", "l", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "9", "g",
	"ɑ", "a", "ƀ", "b", "ƃ", "b", "ɓ", "b", "ƈ", "c", "đ", "d", "ð", "d", "ɖ", "d", "ɗ", "d", "ə", "e", "ɛ", "e", "ɇ", "e",
	"ƒ", "f", "ɡ", "g", "ɠ", "g", "ǥ", "g", "ħ", "h", "ɦ", "h", "ı", "l", "ɨ", "l", "ɩ", "l", "ȷ", "j", "ɉ", "j", "ƙ", "k",
	"ĸ", "k", "ł", "l", "ƚ", "l", "ɫ", "l", "ɬ", "l", "ɭ", "l", "ɱ", "rn", "ƞ", "n", "ŋ", "n", "ɲ", "n", "ɳ", "n", "ø", "o",
	"ɵ", "o", "ƥ", "p", "ɋ", "q", "ʠ", "q", "ɍ", "r", "ɼ", "r", "ɽ", "r", "ɾ", "r", "ƨ", "s", "ʂ", "s", "ŧ", "t", "ƭ", "t",
	"ʈ", "t", "ʉ", "u", "ʋ", "v", "ƴ", "y", "ɏ", "y", "ƶ", "z", "ʐ", "z",
)
