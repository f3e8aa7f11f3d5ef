// Package reply is what commands answer with: rows, each of which knows its words for people and its object for scripts.
package reply

import (
	"bytes"
	"iter"
)

// A Reply is what a command answers, part after part. An error ends it.
type Reply = iter.Seq2[Part, error]

// A Part of a reply is made and printed at once: the rows of a page, or one row. A long reply has many parts, and is never whole in memory.
type Part struct {
	Rows  []Row
	Table bool         // the words of all rows are a table: cells are apart by tabs
	Wait  func() error // is called before the next part is made, and may take as long as it likes; nil: there is nothing to wait for
	Last  bool         // no part follows, so the printer needs no turn to find that out
}

// A Row is a line, or several, for people, and an object for scripts. It makes only the one that is asked for.
type Row struct {
	Words  func() (string, error) // without the line feed at the end; nil: people see nothing
	Object func() (any, error)    // nil: scripts see nothing
}

// Of returns a row that has its words and its object already.
func Of(words string, object any) Row {
	return Row{func() (string, error) { return words, nil }, func() (any, error) { return object, nil }}
}

// Made returns a row whose words or object are made when they are asked for.
func Made(words func() string, object func() any) Row {
	return Row{func() (string, error) { return words(), nil }, func() (any, error) { return object(), nil }}
}

// ForPeople returns a row for people alone.
func ForPeople(words string) Row { return Row{Words: func() (string, error) { return words, nil }} }

// ForScripts returns a row for scripts alone.
func ForScripts(object any) Row { return Row{Object: func() (any, error) { return object, nil }} }

// One returns a reply of one part with these rows, which are printed as they are.
func One(rows ...Row) Reply { return just(Part{Rows: rows}) }

// Table returns a reply of one table.
func Table(rows ...Row) Reply { return just(Part{Rows: rows, Table: true}) }

func just(p Part) Reply { return Later(func() (Part, error) { return p, nil }) }

// Later returns a reply whose only part is made when it is asked for.
func Later(make func() (Part, error)) Reply {
	return func(yield func(Part, error) bool) {
		p, err := make()
		p.Last = true
		yield(p, err)
	}
}

// Render returns what is printed of a part: lines for people or, if encode isn't nil, what encode makes of the objects.
func (p Part) Render(encode func(object any) ([]byte, error)) ([]byte, error) {
	var out bytes.Buffer
	var cells []string
	for _, r := range p.Rows {
		switch {
		case encode != nil && r.Object != nil:
			object, err := r.Object()
			if err != nil {
				return nil, err
			}
			line, err := encode(object)
			if err != nil {
				return nil, err
			}
			out.Write(line)
		case encode == nil && r.Words != nil:
			words, err := r.Words()
			if err != nil {
				return nil, err
			}
			if p.Table {
				cells = append(cells, words)
				continue
			}
			out.WriteString(words)
			out.WriteByte('\n')
		}
	}
	out.WriteString(Align(cells))
	return out.Bytes(), nil
}
