package migrations

import (
	"bytes"

	"ludoteca/storage/kv"
)

// A step changes a store from one schema to the next. All steps that are due run in one transaction, up to a step with more entries to go
// through than a transaction takes.
type step func(t *task) error

// steps are the steps from an empty store to the present schema; the number of a schema is how many steps made
// it. Steps are only ever added at the end, and never changed once a store has taken them: they name
// sections and write values literally, because the rest of the program moves on.
func steps() []step {
	return []step{
		makes("meta", "players", "names", "keys", "player_keys", "logs", "finished", "history",
			"codes", "code_ends", "results", "changes", "ratings"),
		// Events and records of version 2, beside events and records of version 1: an older program must not take them for damaged.
		makes(),
		makes("analyses"),
		// The number of a result follows from the one before, and no longer from a counter of bbolt's: an older program,
		// which goes by the counter, must not write a result over another.
		makes(),
		// Events of version 3, beside the older ones.
		makes(),
		// Records of version 3, beside the older ones.
		makes(),
		makes("lookalikes"),
		// Logs in blocks, beside single events, and summaries. What a summary says follows from the log by the rules of the
		// game, so the summaries of existing matches are left to be made later.
		both(makes("summaries"), through([]string{"logs"}, leaveSummary)),
		// Results of version 2 and changes of version 2, beside the older ones.
		makes("recent_matches"),
		makes("audit", "restrictions", "former_names", "bans", "reports", "visits", "unrated"),
		// Events of version 4, summaries of version 2 and records of version 4, beside the older ones.
		makes(),
		// Records of version 5, beside the older ones.
		makes(),
		// The times of keys, beside keys without one, and players who are deleted.
		makes("credentials", "key_codes", "deletions"),
		// The tallies are counted when the store is opened.
		makes("tallies"),
		makes("relations"),
		// Summaries with open offers, logs with takebacks between people and records of draws by agreement, beside the older ones.
		makes(),
		// Results of version 3, beside the older ones, and an index of all.
		both(makes("result_index"), through([]string{"results"}, indexResult)),
		makes("chat"),
		makes("guest_codes"),
		// Players of version 2, beside the older ones.
		makes(),
		makes("nodes", "presence", "seekers", "places", "notices", "attempts"),
		// Lines of chat that only reports show, beside the others: an older program must not show them.
		makes(),
		// Results of version 4, with what they change, recent matches and visits of version 2, beside the older ones.
		makes("settled"),
		// One form of each value.
		rewriteAll(),
		makes("lessons"),
		makes("puzzle_standings", "puzzle_tries", "puzzle_strengths"),
		makes("practice"),
		makes("notes"),
		// A player who could be ranked before is with the next first try.
		makes("puzzle_leaders"),
		// The host keys of nodes are added when these start.
		makes("signers"),
		// Records of version 7, which say how long their text is.
		rewriteOf("finished"),
		// The openings are counted when the store is opened.
		makes("openings"),
		// Computer accounts, among players and in the seats of matches: an older program must not take them for people.
		makes(),
		makes("studies"),
		makes("tells"),
		// Plans for the matches that go on. Summaries say whether the side to move has one, events whether a move was planned.
		makes("plans"),
		// Tournaments, and matches that belong to one: an older program must not take these for damaged.
		makes("tournaments", "past_tournaments", "tournament_logs", "tournament_codes", "tournament_parts", "tournament_series"),
		// The seasons are counted when the store is opened.
		makes("seasons"),
		makes("notice_contacts", "notice_recipients", "notice_tallies", "notice_queue"),
		makes("standing_offers"),
		// The codes for notices of the last hour say where they were asked for, under another name.
		forgets("notice_codes"),
		// Vacations, and pauses in logs and summaries: an older program must not take these for damaged.
		makes("vacations"),
		makes("nicknames"),
	}
}

// makes is a step that makes sections. It makes none where only the forms of values are new.
func makes(names ...string) step {
	return func(t *task) error {
		kv.MakeSections(t.Tx, names...)
		return nil
	}
}

// forgets is a step that removes an entry of the section meta.
func forgets(name string) step {
	return func(t *task) error {
		t.Delete([]byte(meta + "\x00" + name))
		return nil
	}
}

// both is two steps that make one schema.
func both(first, second step) step {
	return func(t *task) error {
		if err := first(t); err != nil {
			return err
		}
		return second(t)
	}
}

// What one transaction of a step that goes through entries does at most, but for the last entry.
const (
	// stepWrites is how many entries it reads and writes: half of what etcd must take in one transaction, less the reads and writes
	// that the last entry causes.
	stepWrites = 2000

	// stepBytes is how much it writes: a third of what etcd takes in one request.
	stepBytes = 512 << 10
)

// put sets a value, and counts it.
func (t *task) put(key, value []byte) {
	t.Put(key, value)
	t.writes++
	t.bytes += len(key) + len(value)
}

// through is a step that calls each for all entries of some sections, which are in order.
func through(sections []string, each func(t *task, p kv.Pair) error) step {
	return func(t *task) error {
		read := 0
		for _, name := range sections {
			g := kv.Prefix([]byte(name + "\x00"))
			if t.after != nil && bytes.Compare(g.From, t.after) <= 0 {
				g.From = append(bytes.Clone(t.after), 0)
			}
			if bytes.Compare(g.From, g.To) >= 0 {
				continue
			}
			for p, err := range t.Scan(g) {
				if err == nil {
					err = each(t, p)
				}
				if err != nil {
					return err
				}
				read++
				t.entries++
				if read+t.writes >= stepWrites || t.bytes >= stepBytes {
					t.after, t.more = bytes.Clone(p.Key), true
					return nil
				}
			}
		}
		return nil
	}
}

// leaveSummary leaves the summary of a match to be made, to whose log an entry belongs.
func leaveSummary(t *task, p kv.Pair) error {
	id, _, ok := bytes.Cut(p.Key[len("logs\x00"):], []byte{0})
	if !ok {
		return damaged("a log without a match")
	}
	t.put(append([]byte("summaries\x00"), id...), nil)
	return nil
}

// indexResult puts a result into the index. Results of every version say by the same fields whose they are.
func indexResult(t *task, p kv.Pair) error {
	number := p.Key[len("results\x00"):]
	if len(number) != 8 {
		return damaged("a result without a number")
	}
	r, err := readResult(p.Value)
	if err != nil {
		return err
	}
	for _, parts := range [][]string{
		{"pair", r.Game, min(r.First, r.Second), max(r.First, r.Second)}, {"player", r.First, r.Game}, {"player", r.Second, r.Game},
	} {
		key := []byte("result_index\x00")
		for _, part := range parts {
			key = append(append(key, part...), 0)
		}
		t.put(append(key, number...), nil)
	}
	return nil
}
