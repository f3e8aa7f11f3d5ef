package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
)

// A collection is all entries found so far, in the order of the sources.
type collection struct {
	entries []*entry
	byKey   map[string]*entry
}

// add adds a sentence that a folder says, with notes for translators.
func (c *collection) add(e entry, folder string, notes ...string) error {
	if e.id == "" {
		return nil
	}
	old := c.byKey[e.key()]
	if old == nil {
		old = &e
		c.byKey[e.key()] = old
		c.entries = append(c.entries, old)
	}
	if old.plural != e.plural {
		return fmt.Errorf("%q is said with the plural %q and with %q", e.id, old.plural, e.plural)
	}
	if !slices.Contains(old.folders, folder) {
		old.folders = append(old.folders, folder)
	}
	for _, note := range notes {
		if !slices.Contains(old.notes, note) {
			old.notes = append(old.notes, note)
		}
	}
	return nil
}

// collect returns all sentences of the program whose sources are in a folder.
func collect(sources string) ([]*entry, error) {
	c := &collection{byKey: map[string]*entry{}}
	for _, from := range []func(string) error{c.screensAndCommands, c.games, c.refusals} {
		if err := from(sources); err != nil {
			return nil, err
		}
	}
	for _, e := range c.entries {
		if cells := room[e.id]; cells > 0 {
			e.notes = append(e.notes, atMost(cells))
		}
	}
	for key := range room {
		if c.byKey[(&entry{id: key}).key()] == nil {
			return nil, fmt.Errorf("%q has room, but is said nowhere", key)
		}
	}
	return c.entries, nil
}

func atMost(cells int) string { return fmt.Sprintf("At most %d cells.", cells) }

// screensAndCommands adds the sentences in all calls of T, C and N in the folders that speak to people.
func (c *collection) screensAndCommands(sources string) error {
	return errors.Join(c.under(sources, "sshapp"), c.under(sources, "games/analysis")) // whose report is for people
}

// under adds the sentences of all files below a folder.
func (c *collection) under(sources, folder string) error {
	return filepath.WalkDir(filepath.Join(sources, folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		return c.file(sources, path)
	})
}

// file adds the sentences of one file.
func (c *collection) file(sources, path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, source, parser.ParseComments)
	if err != nil {
		return err
	}
	notes, used := notesOf(files, f, source), map[int]bool{}
	folder, err := filepath.Rel(sources, filepath.Dir(path))
	if err != nil {
		return err
	}
	var failed error
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		e, ok := said(call)
		if !ok {
			return true
		}
		var its []string
		line := files.Position(call.Pos()).Line
		if note := notes[line]; note != "" && isFor(note, e.id) {
			its, used[line] = []string{note}, true
		}
		failed = errors.Join(failed, c.add(e, filepath.ToSlash(folder), its...))
		return true
	})
	for line, note := range notes {
		if !used[line] {
			failed = errors.Join(failed, fmt.Errorf("%s:%d: no sentence for the note %q", path, line, note))
		}
	}
	return failed
}

// notesOf returns the comments for translators of a file by the line whose sentences they are about: // Translators: it is a verb here.
// A comment is about the line on which it stands, or about the next one if it stands alone.
func notesOf(files *token.FileSet, f *ast.File, source []byte) map[int]string {
	notes := map[int]string{}
	for _, group := range f.Comments {
		_, note, ok := strings.Cut("\n"+group.Text(), "\nTranslators: ")
		if !ok {
			continue
		}
		line, start := files.Position(group.End()).Line, files.Position(group.Pos())
		before := source[start.Offset-start.Column+1 : start.Offset]
		if len(bytes.TrimSpace(before)) == 0 {
			line++
		}
		notes[line] = strings.Join(strings.Fields(note), " ")
	}
	return notes
}

// isFor reports whether a note is about a sentence. A note that begins with a sentence in quotes is about that one alone, so that a line may
// have several.
func isFor(note, sentence string) bool {
	quoted, err := strconv.QuotedPrefix(note)
	if err != nil {
		return true
	}
	about, err := strconv.Unquote(quoted)
	return err == nil && about == sentence
}

// said returns the sentence of a call of T, C or N.
func said(call *ast.CallExpr) (entry, bool) {
	name := nameOf(call.Fun)
	var words []string
	for i, arg := range call.Args {
		if s, ok := literal(arg); ok {
			words = append(words, s)
		} else if i > 0 || name != "N" {
			break
		}
	}
	switch {
	case name == "T" && len(words) > 0:
		return entry{id: words[0]}, true
	case name == "C" && len(words) > 1:
		return entry{context: words[0], id: words[1]}, true
	case name == "N" && len(words) > 1:
		return entry{id: words[0], plural: words[1]}, true
	}
	return entry{}, false
}

// nameOf returns the name of a called function or method.
func nameOf(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literal returns the string that an expression is, if that can be read.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		left, ok := literal(e.X)
		right, also := literal(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	}
	return "", false
}

// games adds what games and computer players bring along.
func (c *collection) games(string) error {
	var failed error
	for _, g := range catalog.All() {
		about := g.About()
		add := func(sentence string, notes ...string) {
			failed = errors.Join(failed, c.add(entry{id: sentence}, "games/"+about.ID, notes...))
		}
		add(about.Sentence, "What the game is, in a sentence.")
		for _, line := range about.Brief {
			add(line, atMost(briefCells))
		}
		for _, o := range about.Options {
			add(o.Label, atMost(labelCells))
			add(o.Help, atMost(helpCells))
			if o.Key != "cols" && o.Key != "rows" && o.Key != "size" { // which are said as the size of the board
				add(o.Words())
			}
		}
		for _, f := range fields(g) {
			add(f.Label, atMost(labelCells))
		}
		for _, set := range about.OptionSets() {
			add(set.Name)
		}
		for _, reason := range sorted(about.Reasons) {
			add(reason, "Why the game ended.")
		}
		for _, side := range about.Sides {
			add(side, atMost(sideCells))
		}
		for _, level := range bot.Levels(g) {
			add(level.Sentence)
		}
		for _, step := range games.LessonOf(g) {
			add(step.Title, "The subject of a step of a lesson.", atMost(titleCells))
			add(step.Task, "What a step of a lesson asks.")
			add(step.Shown, "What a right move in a lesson has shown.")
			for _, r := range step.Wrong {
				add(r.Words, lessonRemark)
			}
			add(step.Else, lessonRemark)
		}
		add(about.HowTo, "The rules for people. "+pageNote)
	}
	return failed
}

// lessonRemark is the note of what a lesson says to a wrong move.
const lessonRemark = "What a lesson says to a move that is legal, but not what is asked."

const pageNote = "Lines have at most 72 columns. Headings, paragraphs, items and drawings stand in the same order."

// sorted returns the values of a map by their keys.
func sorted(m map[string]string) (all []string) {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		all = append(all, m[key])
	}
	return all
}

// fields returns the fields that positions of a game have besides their boards.
func fields(g games.Game) []games.Field {
	if e, ok := g.(games.Editable); ok {
		return e.Fields(nil)
	}
	return nil
}

// refusals adds the formats with which the games refuse moves and options.
func (c *collection) refusals(sources string) error {
	return filepath.WalkDir(filepath.Join(sources, "games"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(sources, path)
		if err != nil {
			return err
		}
		return c.refusalsOf(files, filepath.ToSlash(folder))
	})
}

// refusalsOf adds the formats of one package. Some have a name, since they are used twice.
func (c *collection) refusalsOf(paths []string, folder string) error {
	named := make(map[string]string)
	var formats []ast.Expr
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i := range min(len(n.Names), len(n.Values)) {
					if s, ok := literal(n.Values[i]); ok {
						named[n.Names[i].Name] = s
					}
				}
			case *ast.CallExpr:
				if at := formatAt(n.Fun); at >= 0 && at < len(n.Args) {
					formats = append(formats, n.Args[at])
				}
			}
			return true
		})
	}
	var failed error
	for _, e := range formats {
		key, ok := literal(e)
		if name, is := e.(*ast.Ident); is && !ok {
			key, ok = named[name.Name]
		}
		if !ok {
			failed = errors.Join(failed, fmt.Errorf("a refusal in %s is not a string that can be found: %#v", folder, e))
			continue
		}
		failed = errors.Join(failed, c.add(entry{id: key}, folder))
	}
	return failed
}

// formatAt returns which argument of a function is the format of a refusal, -1 if none is.
func formatAt(f ast.Expr) int {
	switch nameOf(f) {
	case "Illegal":
		return 1
	case "BadOption", "NoPosition", "malformed", "badRecord":
		return 0
	}
	return -1
}
