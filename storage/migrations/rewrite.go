package migrations

import (
	"bytes"
	"maps"
	"slices"

	"ludoteca/storage/kv"
)

// # Stored forms up to schema 23
//
// Up to schema 23 the program read the old forms of values beside the new ones, and wrote some of the old ones where they say all. Step 24
// rewrites each value in the newest form, an entry at a time, so that the data model reads one. Each function below takes a value of any form that a
// program up to schema 24 has written, and returns it in the form of schema 24; a value that has this form already comes back as it is. The error
// wraps kv.ErrDamaged. Records have a newer form since schema 31, which step 24 writes too: step 31 has less to do then.
//
// Summaries without a value stay so: they follow from the logs by the rules of the games, and the club makes them when it opens. So do
// the keys of players without a time: it is unknown when they were added.
var rewriters = map[string]func(value []byte) ([]byte, error){
	"changes":        rewriteChanges,
	"finished":       rewriteRecord,
	"logs":           rewriteBlock,
	"players":        rewritePlayer,
	"ratings":        rewriteRating,
	"recent_matches": rewriteRecentMatches,
	"results":        rewriteResult,
	"summaries":      rewriteSummary,
	"visits":         rewriteVisit,
}

// Rewrite returns a value of a section in the newest form. A value that makes no sense comes back as it is, and so does every value
// of a section with a single form. A salvage calls Rewrite for what it reads: values say their form by their own versions, even if the
// number of the schema is lost.
func Rewrite(section string, value []byte) []byte {
	if rewrite := rewriters[section]; rewrite != nil {
		if now, err := rewrite(value); err == nil {
			return now
		}
	}
	return value
}

// rewriteAll is the step that rewrites all values. Those that make no sense stay as they are, and damaged.
func rewriteAll() step { return rewriteOf(slices.Sorted(maps.Keys(rewriters))...) }

// rewriteOf is the step that rewrites all values of some sections, which are in order.
func rewriteOf(sections ...string) step {
	return through(sections, func(t *task, p kv.Pair) error {
		section, _, _ := bytes.Cut(p.Key, []byte{0})
		now, err := rewriters[string(section)](p.Value)
		switch {
		case err != nil:
			t.unread++
		case !bytes.Equal(now, p.Value):
			t.put(p.Key, now)
			t.rewritten++
		}
		return nil
	})
}

// rewritePlayer rewrites a player. Version 1 had no television in its settings, which are otherwise the same.
func rewritePlayer(value []byte) ([]byte, error) {
	version, content, err := unseal(value, 2)
	if err != nil || version == 2 {
		return value, err
	}
	return seal(2, content), nil
}

// rewriteVisit rewrites a visit. Versions 1 and 2 are its time; those from a block of public addresses had version 2. Version 3 is the time and a
// byte that says so.
func rewriteVisit(value []byte) ([]byte, error) {
	version, content, err := unseal(value, 3)
	switch {
	case err != nil || version == 3:
		return value, err
	case len(content) != 8:
		return nil, damaged("a visit without a time")
	}
	public := byte(version - 1)
	return seal(3, append(bytes.Clone(content), public)), nil
}
