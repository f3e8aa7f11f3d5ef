package kv

import "strings"

// MakeSections makes sections in an engine that keeps them apart.
func MakeSections(tx Tx, names ...string) {
	if m, ok := tx.(SectionMaker); ok {
		for _, name := range names {
			m.MakeSection(name)
		}
	}
}

// SectionsOf returns the sections of a store, and whether those without keys are among them.
func SectionsOf(r Reader) (names []string, exact bool, err error) {
	if s, ok := r.(SectionReader); ok {
		return s.Sections(), true, nil
	}
	for from := []byte(nil); ; {
		name := ""
		for p, err := range r.Scan(Range{From: from}) {
			if err != nil {
				return nil, false, err
			}
			name, _, _ = strings.Cut(string(p.Key), "\x00")
			break
		}
		if name == "" { // no key has a section without a name
			return names, false, nil
		}
		names = append(names, name)
		from = []byte(name + "\x01")
	}
}
