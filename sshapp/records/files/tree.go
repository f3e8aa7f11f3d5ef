// Package files shows the records of a club as a tree of files, which can be read and listed, and nothing else:
//
//	/README.txt  /allowed_signers
//	/matches/ID.txt  /matches/ID.txt.sig
//	/players/NAME/ID.txt  /players/NAME/ID.txt.sig
//	/games/GAME/YYYY-MM.txt
//
// The tree is a view of the store. A path leads to no file of the machine: its parts are looked up as names of players and games, as months and as
// ids of matches. Sizes are exact, and a list of files makes no record.
package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"ludoteca/lobby/refusal"
	"ludoteca/sshapp/records"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// Results are the finished matches; see results.Store.
type Results interface {
	Page(ctx context.Context, q results.PageQuery) (found []results.Record, next results.Cursor, err error)
	FirstPlace(ctx context.Context, q results.PageQuery) (at results.Cursor, ok bool, err error)
	Record(ctx context.Context, id storage.MatchID, whole bool) (results.Record, error)
}

// Players are the accounts; see accounts.Store.
type Players interface {
	PlayersAfter(ctx context.Context, after storage.PlayerID, limit int) ([]accounts.Player, error)
}

// A Config configures New.
type Config struct {
	Results Results
	Players Players
	Records records.Writer
	Signer  *records.Signer

	// Player returns the player with a name, in any letter case. The error is refusal.ErrNoSuchPlayer if there is none.
	Player func(ctx context.Context, name string) (accounts.Player, error)

	Allowed func(ctx context.Context) ([]byte, error) // the file of allowed signers
	Readme  []byte

	Folder string // for the files of months while they are open
	Full   func() bool
	Now    func() time.Time
}

// A Tree is the tree of files. It is safe for concurrent use.
type Tree struct {
	config Config
	games  []string  // ids
	began  time.Time // the time of folders
	months *months
}

// New returns a tree. The caller closes it when nobody reads it any more.
func New(c Config) *Tree {
	if c.Full == nil {
		c.Full = func() bool { return false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	t := &Tree{config: c, began: c.Now(), months: newMonths(c)}
	for _, g := range c.Records {
		t.games = append(t.games, g.About().ID)
	}
	return t
}

// Close frees the files of months.
func (t *Tree) Close() error { return t.months.close() }

// A Step runs work that reads the store when its turn comes. Work is short, and waits for no client.
type Step func(ctx context.Context, work func() error) error

// A View is the tree as one person sees it. It is safe for concurrent use.
type View struct {
	tree   *Tree
	viewer storage.PlayerID
	step   Step
}

// As returns the tree as a player sees it: with the private matches that the player has played. "" is a visitor without an account.
func (t *Tree) As(viewer storage.PlayerID, step Step) *View { return &View{t, viewer, step} }

// sees reports whether a match is one of the files.
func (v *View) sees(f *results.Finished) bool {
	switch {
	case f.Temporary || f.Result == "":
		return false // it is in no history
	case f.ForAll():
		return true
	}
	return v.viewer != "" && plays(f, v.viewer)
}

// plays reports whether a player had a seat in a match.
func plays(f *results.Finished, id storage.PlayerID) bool {
	for _, o := range []storage.Occupant{f.First, f.Second} {
		if o.Kind.HasAccount() && o.ID == string(id) {
			return true
		}
	}
	return false
}

// Names of the tree.
const (
	readme    = "README.txt"
	allowed   = "allowed_signers"
	matches   = "matches"
	players   = "players"
	games     = "games"
	extension = ".txt"
	signature = ".sig"
)

// maxName is the most bytes of a part of a path: as much as other file systems take.
const maxName = 255

// split returns the parts of a path. The error is fs.ErrNotExist for one that can't lead to a file.
func split(name string) ([]string, error) {
	name = strings.Trim(path.Clean("/"+name), "/")
	if name == "" {
		return nil, nil
	}
	parts := strings.Split(name, "/")
	if len(parts) > 3 {
		return nil, fs.ErrNotExist
	}
	for _, p := range parts {
		if len(p) > maxName || !utf8.ValidString(p) || strings.ContainsRune(p, 0) {
			return nil, fs.ErrNotExist
		}
	}
	return parts, nil
}

// A File is an open file. Close frees it.
type File interface {
	io.ReaderAt
	io.Closer
	Info() fs.FileInfo
	Memory() int // bytes that it holds in memory while it is open
}

// Stat describes a file or a folder. The error wraps fs.ErrNotExist if there is none.
func (v *View) Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	parts, err := split(name)
	if err != nil {
		return nil, err
	}
	switch {
	case len(parts) == 0:
		return v.tree.folder("/"), nil
	case len(parts) == 1 && (parts[0] == readme || parts[0] == allowed):
		f, err := v.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		return f.Info(), f.Close()
	case len(parts) == 1 && (parts[0] == matches || parts[0] == players || parts[0] == games):
		return v.tree.folder(parts[0]), nil
	case len(parts) == 2 && parts[0] == matches:
		return v.statRecord(ctx, parts[1], "")
	case len(parts) == 2 && parts[0] == players:
		p, err := v.player(ctx, parts[1])
		return v.tree.folderOf(p), err
	case len(parts) == 3 && parts[0] == players:
		p, err := v.player(ctx, parts[1])
		if err != nil {
			return nil, err
		}
		return v.statRecord(ctx, parts[2], p.ID)
	case len(parts) == 2 && parts[0] == games && v.tree.isGame(parts[1]):
		return v.tree.folder(parts[1]), nil
	case len(parts) == 3 && parts[0] == games && v.tree.isGame(parts[1]):
		month, err := parseMonth(parts[1], parts[2])
		if err != nil {
			return nil, err
		}
		return v.tree.months.stat(ctx, v.step, month)
	}
	return nil, fs.ErrNotExist
}

// Open opens a file. The error wraps fs.ErrNotExist if there is none, also for folders.
func (v *View) Open(ctx context.Context, name string) (File, error) {
	parts, err := split(name)
	if err != nil {
		return nil, err
	}
	switch {
	case len(parts) == 1 && parts[0] == readme:
		return v.tree.inMemory(readme, v.tree.config.Readme, v.tree.began), nil
	case len(parts) == 1 && parts[0] == allowed:
		var text []byte
		err := v.step(ctx, func() (err error) { text, err = v.tree.config.Allowed(ctx); return err })
		if err != nil {
			return nil, err
		}
		return v.tree.inMemory(allowed, text, v.tree.began), nil
	case len(parts) == 2 && parts[0] == matches:
		return v.openRecord(ctx, parts[1], "")
	case len(parts) == 3 && parts[0] == players:
		p, err := v.player(ctx, parts[1])
		if err != nil {
			return nil, err
		}
		return v.openRecord(ctx, parts[2], p.ID)
	case len(parts) == 3 && parts[0] == games && v.tree.isGame(parts[1]):
		month, err := parseMonth(parts[1], parts[2])
		if err != nil {
			return nil, err
		}
		return v.tree.months.open(ctx, v.step, month)
	}
	return nil, fs.ErrNotExist
}

func (t *Tree) isGame(name string) bool {
	for _, g := range t.games {
		if g == name {
			return true
		}
	}
	return false
}

// player returns the player whose folder has a name.
func (v *View) player(ctx context.Context, name string) (p accounts.Player, err error) {
	err = v.step(ctx, func() (err error) { p, err = v.tree.config.Player(ctx, name); return err })
	if errors.Is(err, refusal.ErrNoSuchPlayer) || err == nil && !p.Deleted.IsZero() {
		err = fs.ErrNotExist
	}
	return p, err
}

// recordOf reads the record of a file by its name. If of is not "", the file is one of a player's folder.
func (v *View) recordOf(ctx context.Context, name string, of storage.PlayerID, whole bool) (r results.Record, signed bool, err error) {
	id, signed := strings.CutSuffix(name, signature)
	id, ok := strings.CutSuffix(id, extension)
	if !ok || id == "" {
		return r, signed, fs.ErrNotExist
	}
	err = v.step(ctx, func() (err error) {
		r, err = v.tree.config.Results.Record(ctx, storage.MatchID(id), whole)
		return err
	})
	if errors.Is(err, storage.ErrNotFound) || err == nil && (!v.sees(&r.Finished) || of != "" && !plays(&r.Finished, of)) {
		err = fs.ErrNotExist
	}
	return r, signed, err
}

func (v *View) statRecord(ctx context.Context, name string, of storage.PlayerID) (fs.FileInfo, error) {
	r, signed, err := v.recordOf(ctx, name, of, false)
	if err != nil {
		return nil, err
	}
	text, sig, err := v.tree.recordFiles(r)
	if signed {
		return sig, err
	}
	return text, err
}

// recordFiles describes the files of a record.
func (t *Tree) recordFiles(r results.Record) (text, sig info, err error) {
	size, err := t.config.Records.Size(r)
	text = info{name: string(r.ID) + extension, size: int64(size), mode: fileMode, at: r.Ended}
	sig = info{name: text.name + signature, size: int64(t.config.Signer.Size()), mode: fileMode, at: r.Ended}
	return text, sig, err
}

func (v *View) openRecord(ctx context.Context, name string, of storage.PlayerID) (File, error) {
	r, signed, err := v.recordOf(ctx, name, of, true)
	if err != nil {
		return nil, err
	}
	var text []byte
	err = v.step(ctx, func() (err error) {
		if text, err = v.tree.config.Records.Text(r.Finished); err == nil && signed {
			text, err = v.tree.config.Signer.Sign(text)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return v.tree.inMemory(name, text, r.Ended), nil
}

// A memoryFile is an open file whose text is in memory.
type memoryFile struct {
	*bytes.Reader
	about info
}

func (t *Tree) inMemory(name string, text []byte, at time.Time) File {
	return memoryFile{bytes.NewReader(text), info{name: name, size: int64(len(text)), mode: fileMode, at: at}}
}

// Info implements File.
func (f memoryFile) Info() fs.FileInfo { return f.about }

// Memory implements File.
func (f memoryFile) Memory() int { return int(f.about.size) }

// Close implements File.
func (f memoryFile) Close() error { return nil }

// Modes of the tree: everybody may read, and nobody may write.
const (
	fileMode   fs.FileMode = 0o444
	folderMode             = fs.ModeDir | 0o555
)

// An info describes a file or a folder. It implements fs.FileInfo.
type info struct {
	name string
	size int64
	mode fs.FileMode
	at   time.Time
}

func (t *Tree) folder(name string) info { return info{name: name, mode: folderMode, at: t.began} }

// folderOf describes the folder of a player.
func (t *Tree) folderOf(p accounts.Player) info {
	about := t.folder(p.Name)
	if !p.Since.IsZero() {
		about.at = p.Since
	}
	return about
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.at }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
