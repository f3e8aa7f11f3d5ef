package kv

// A Source says how sure it is that the newest state of a damaged store held an entry.
type Source uint8

// The sources, the surest first.
const (
	Sure    Source = iota // the newest state held exactly this
	Earlier               // the commit before held it: the last one may have changed or removed it
)

// A Salvaged is an entry that was read from a damaged store. Key and value are valid until the function that was given them
// returns. An entry that isn't Sure must not replace one with the same key.
type Salvaged struct {
	Key    []byte
	Value  []byte
	Source Source
}

// SalvageOptions say what is known of a store before it is read.
type SalvageOptions struct {
	Sections []string                                     // that it should have
	Fits     func(section string, key, value []byte) bool // whether this can be an entry of a section: key is without it; nil is always
}

// A SalvageReport says what of a damaged store could be read.
type SalvageReport struct {
	Losses   []Loss // ranges of keys that the newest state led to and that could not be read there, at most MaxLosses
	More     int    // losses beyond those
	MetaLost bool   // one of the two places that say which state is the newest is lost: the last commit may be missing
	FreeLost bool   // the list of free pages is lost, so pages that nothing leads to were left alone: they may be old
}

// MaxLosses is how many losses a report lists.
const MaxLosses = 1000

// A Loss is a range of keys of which some could not be read.
type Loss struct {
	Section string
	After   []byte   // the last key before the range that was read, without its section; nil is none
	Before  []byte   // the first one after it; nil is none
	Pages   []uint64 // the damaged pages, at most a few; 0 is an unknown one
	Problem string   // of the first of them
	Rows    int      // entries known to be lost; there may be more
	Found   int      // entries of the range that were found on pages nothing led to, and that are sure
	Earlier int      // entries of the range as an earlier commit held them
	Whole   bool     // what was found is all there was: nothing is lost
}

// Lost reports whether anything is lost, or may be.
func (r *SalvageReport) Lost() bool {
	for _, l := range r.Losses {
		if !l.Whole {
			return true
		}
	}
	return r.More > 0 || r.MetaLost
}
