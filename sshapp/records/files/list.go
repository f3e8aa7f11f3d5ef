package files

import (
	"context"
	"io"
	"io/fs"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// pageSize is how many matches or players one step of a list reads: some milliseconds.
const pageSize = 100

// A List is what is in a folder, read in steps. It is not safe for concurrent use.
type List struct {
	read []fs.FileInfo // and not returned yet
	more func(ctx context.Context) (page []fs.FileInfo, more bool, err error)
	done bool // more has nothing more
}

// Next returns the next entries, at most n. The error is io.EOF after the last.
func (l *List) Next(ctx context.Context, n int) ([]fs.FileInfo, error) {
	for len(l.read) == 0 && !l.done {
		page, more, err := l.more(ctx)
		if err != nil {
			return nil, err
		}
		l.read, l.done = page, !more
	}
	if len(l.read) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(l.read))
	page := l.read[:n]
	l.read = l.read[n:]
	return page, nil
}

// listOf returns a list that is known.
func listOf(all ...fs.FileInfo) *List { return &List{read: all, done: true} }

// List lists a folder. The error wraps fs.ErrNotExist if there is none, also for files.
func (v *View) List(ctx context.Context, name string) (*List, error) {
	parts, err := split(name)
	if err != nil {
		return nil, err
	}
	t := v.tree
	switch {
	case len(parts) == 0:
		l := listOf()
		for _, name := range []string{readme, allowed, matches, players, games} {
			about, err := v.Stat(ctx, name)
			if err != nil {
				return nil, err
			}
			l.read = append(l.read, about)
		}
		return l, nil
	case len(parts) == 1 && parts[0] == matches:
		return v.matches(""), nil
	case len(parts) == 1 && parts[0] == players:
		return v.players(), nil
	case len(parts) == 2 && parts[0] == players:
		p, err := v.player(ctx, parts[1])
		if err != nil {
			return nil, err
		}
		return v.matches(p.ID), nil
	case len(parts) == 1 && parts[0] == games:
		l := listOf()
		for _, g := range t.games {
			l.read = append(l.read, t.folder(g))
		}
		return l, nil
	case len(parts) == 2 && parts[0] == games && t.isGame(parts[1]):
		return t.months.list(v.step, parts[1]), nil
	}
	return nil, fs.ErrNotExist
}

// matches lists the files of all matches, or of the matches of a player.
func (v *View) matches(of storage.PlayerID) *List {
	q := results.PageQuery{Player: of, Limit: pageSize}
	return &List{more: func(ctx context.Context) (page []fs.FileInfo, more bool, err error) {
		err = v.step(ctx, func() error {
			found, next, err := v.tree.config.Results.Page(ctx, q)
			if err != nil {
				return err
			}
			for _, r := range found {
				if !v.sees(&r.Finished) {
					continue
				}
				if text, sig, err := v.tree.recordFiles(r); err == nil { // else it can't be read as a file either
					page = append(page, text, sig)
				}
			}
			q.After, more = next, next != (results.Cursor{})
			return nil
		})
		return page, more, err
	}}
}

// players lists the folders of players.
func (v *View) players() *List {
	last := storage.PlayerID("")
	return &List{more: func(ctx context.Context) (page []fs.FileInfo, more bool, err error) {
		var found []accounts.Player
		err = v.step(ctx, func() (err error) {
			found, err = v.tree.config.Players.PlayersAfter(ctx, last, pageSize)
			return err
		})
		for _, p := range found {
			if last = p.ID; p.Deleted.IsZero() {
				page = append(page, v.tree.folderOf(p))
			}
		}
		return page, len(found) == pageSize, err
	}}
}
