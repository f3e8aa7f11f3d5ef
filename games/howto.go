package games

import (
	"io/fs"
	"strings"
)

// MustReadHowTo returns the rules for people that are built into a game, by language: files like rules.en.txt. It panics if they
// can't be read, which is a programmer's mistake.
func MustReadHowTo(files fs.FS) map[string]string {
	names, err := fs.Glob(files, "rules.*.txt")
	if err != nil {
		panic(err)
	}
	pages := make(map[string]string, len(names))
	for _, name := range names {
		page, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		language := strings.TrimSuffix(strings.TrimPrefix(name, "rules."), ".txt")
		pages[language] = strings.TrimSuffix(string(page), "\n")
	}
	return pages
}
