package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"ludoteca/storage/results"
)

// A month names the file of all rated records of a game in a month, in UTC.
type month struct {
	game  string
	begin time.Time
}

func (m month) end() time.Time { return m.begin.AddDate(0, 1, 0) }

const monthForm = "2006-01"

func (m month) name() string { return m.begin.Format(monthForm) + extension }

// parseMonth reads the name of the file of a month. The error is fs.ErrNotExist.
func parseMonth(game, name string) (month, error) {
	text, ok := strings.CutSuffix(name, extension)
	begin, err := time.Parse(monthForm, text)
	m := month{game, begin}
	if !ok || err != nil || m.name() != name {
		return m, fs.ErrNotExist
	}
	return m, nil
}

// ErrFull says that the files of months that people read leave no room for another one.
var ErrFull = errors.New("too many large files are open, try again later")

// Bounds of the files of months.
const (
	maxCache = 256 << 20 // bytes of all on disk
	maxSizes = 4096      // months whose size is known

	// presentLife and pastLife are how long the size and the text of a month hold, while it goes on and after it: matches of a past month change
	// only when ratings are worked out anew, or a player deletes the account.
	presentLife = time.Minute
	pastLife    = 10 * time.Minute
)

// months makes the files of months. Each is made once for all who read it, in steps, and stays as it is while it is open.
type months struct {
	config   Config
	maxBytes int64

	mu    sync.Mutex // guards what follows
	known map[month]*monthFile
	bytes int64 // of all texts on disk
}

func newMonths(c Config) *months {
	return &months{config: c, maxBytes: maxCache, known: make(map[month]*monthFile)}
}

// A monthFile is what is known of the file of a month.
type monthFile struct {
	month
	making chan struct{} // full while its size or text is worked out

	// Guarded by mu of months.
	until   time.Time // it has the matches that ended before
	expires time.Time
	sized   bool
	size    int64
	text    *os.File // which has no name any more; nil: it isn't made
	users   int      // who have it open
	dropped bool     // it is not known any more: the last user closes the text
}

// about returns what is known of a month, of present validity, and waits until nobody else works on it. The caller calls done.
func (m *months) about(ctx context.Context, of month) (f *monthFile, done func(), err error) {
	for {
		f, err := m.find(of)
		if err != nil {
			return nil, nil, err
		}
		select {
		case f.making <- struct{}{}:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
		m.mu.Lock()
		dropped := f.dropped
		m.mu.Unlock()
		if !dropped {
			return f, func() { <-f.making }, nil
		}
		<-f.making
	}
}

// find returns what is known of a month, anew if it has expired.
func (m *months) find(of month) (*monthFile, error) {
	now := m.config.Now().UTC()
	if !of.begin.Before(now) {
		return nil, fs.ErrNotExist
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.known[of]; f != nil && now.Before(f.expires) {
		return f, nil
	} else if f != nil {
		m.drop(f)
	}
	if len(m.known) >= maxSizes {
		for _, f := range m.known {
			m.drop(f)
			break
		}
	}
	f := &monthFile{month: of, making: make(chan struct{}, 1), until: of.end(), expires: now.Add(pastLife)}
	if now.Before(f.until) {
		f.until, f.expires = now, now.Add(presentLife)
	}
	m.known[of] = f
	return f, nil
}

// drop forgets a file. The caller holds mu.
func (m *months) drop(f *monthFile) {
	if m.known[f.month] == f {
		delete(m.known, f.month)
	}
	f.dropped = true
	if f.users == 0 {
		m.free(f)
	}
}

// free closes the text of a file. The caller holds mu.
func (m *months) free(f *monthFile) {
	if f.text != nil {
		_ = f.text.Close() // it was read, and has no name
		f.text, m.bytes = nil, m.bytes-f.size
	}
}

// reserve makes room for bytes on disk. The error is ErrFull.
func (m *months) reserve(n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.known {
		if m.bytes+n <= m.maxBytes {
			break
		}
		if f.users == 0 && f.text != nil {
			m.drop(f)
		}
	}
	if m.bytes+n > m.maxBytes || m.config.Full() {
		return ErrFull
	}
	m.bytes += n
	return nil
}

func (m *months) unreserve(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes -= n
}

// pages calls each for the pages of rated matches of a month, each in a step.
func (m *months) pages(ctx context.Context, step Step, f *monthFile, whole bool, each func(page []results.Record) error) error {
	q := results.PageQuery{Game: f.game, Since: f.begin, Until: f.until, Rated: true, Limit: pageSize, Whole: whole}
	for {
		err := step(ctx, func() error {
			page, next, err := m.config.Results.Page(ctx, q)
			if err == nil {
				err = each(page)
			}
			q.After = next
			return err
		})
		if err != nil || q.After == (results.Cursor{}) {
			return err
		}
	}
}

// measure works out the size of a file from the heads of the records. The caller works on it alone.
func (m *months) measure(ctx context.Context, step Step, f *monthFile) (int64, error) {
	m.mu.Lock()
	size, sized := f.size, f.sized
	m.mu.Unlock()
	if sized {
		return size, nil
	}
	size = 0
	err := m.pages(ctx, step, f, false, func(page []results.Record) error {
		for _, r := range page {
			n, err := m.config.Records.Size(r)
			if err != nil {
				continue // it can't be written either
			}
			if size > 0 {
				size++ // the empty line between
			}
			size += int64(n)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f.size, f.sized = size, true
	return size, nil
}

// infoOf describes a file of a size.
func (f *monthFile) infoOf(size int64) (info, error) {
	if size == 0 {
		return info{}, fs.ErrNotExist // no rated match
	}
	return info{name: f.name(), size: size, mode: fileMode, at: f.until}, nil
}

// stat describes the file of a month. The error is fs.ErrNotExist if it has no rated match.
func (m *months) stat(ctx context.Context, step Step, of month) (fs.FileInfo, error) {
	f, done, err := m.about(ctx, of)
	if err != nil {
		return nil, err
	}
	defer done()
	size, err := m.measure(ctx, step, f)
	if err != nil {
		return nil, err
	}
	return f.infoOf(size)
}

// open opens the file of a month, and makes its text if that is not there. The error is fs.ErrNotExist or ErrFull.
func (m *months) open(ctx context.Context, step Step, of month) (File, error) {
	f, done, err := m.about(ctx, of)
	if err != nil {
		return nil, err
	}
	defer done()
	size, err := m.measure(ctx, step, f)
	if err != nil {
		return nil, err
	}
	if _, err := f.infoOf(size); err != nil {
		return nil, err
	}
	m.mu.Lock()
	text := f.text
	if text != nil {
		f.users++
	}
	m.mu.Unlock()
	if text == nil {
		if text, size, err = m.write(ctx, step, f, size); err != nil {
			return nil, err
		}
		m.mu.Lock()
		f.text, f.size = text, size
		f.users++
		m.mu.Unlock()
	}
	about, err := f.infoOf(size)
	return &openMonth{SectionReader: io.NewSectionReader(text, 0, size), about: about, close: sync.OnceFunc(func() { m.leave(f) })}, err
}

// leave ends the use of a file.
func (m *months) leave(f *monthFile) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f.users--; f.users == 0 && f.dropped {
		m.free(f)
	}
}

// write writes the text of a month into a file without a name, whose bytes stay reserved. expected is how many bytes are expected: a match that
// ended at the same moment, or a change of ratings, may make a difference.
func (m *months) write(ctx context.Context, step Step, f *monthFile, expected int64) (text *os.File, size int64, err error) {
	if err := m.reserve(expected); err != nil {
		return nil, 0, err
	}
	reserved := expected
	if err := os.MkdirAll(m.config.Folder, 0o700); err != nil {
		m.unreserve(reserved)
		return nil, 0, fmt.Errorf("records: %w", err)
	}
	text, err = os.CreateTemp(m.config.Folder, "records-*.txt")
	if err != nil {
		m.unreserve(reserved)
		return nil, 0, fmt.Errorf("records: %w", err)
	}
	defer func() {
		if err != nil {
			_ = text.Close() // it failed for another reason
			m.unreserve(reserved)
		}
	}()
	if err := os.Remove(text.Name()); err != nil { // it goes with the program, however that ends
		return nil, 0, fmt.Errorf("records: %w", err)
	}
	var page bytes.Buffer
	err = m.pages(ctx, step, f, true, func(found []results.Record) error {
		page.Reset()
		for _, r := range found {
			one, err := m.config.Records.Text(r.Finished)
			if err != nil {
				continue
			}
			if size+int64(page.Len()) > 0 {
				page.WriteByte('\n')
			}
			page.Write(one)
		}
		if size += int64(page.Len()); size > reserved {
			if err := m.reserve(size - reserved); err != nil {
				return err
			}
			reserved = size
		}
		_, err := text.Write(page.Bytes())
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	m.unreserve(reserved - size)
	return text, size, nil
}

// An openMonth is an open file of a month.
type openMonth struct {
	*io.SectionReader
	about info
	close func()
}

// Info implements File.
func (o *openMonth) Info() fs.FileInfo { return o.about }

// Memory implements File.
func (o *openMonth) Memory() int { return 0 }

// Close implements File.
func (o *openMonth) Close() error {
	o.close()
	return nil
}

// list lists the files of a game.
func (m *months) list(step Step, game string) *List {
	q := results.PageQuery{Game: game}
	return &List{more: func(ctx context.Context) (page []fs.FileInfo, more bool, err error) {
		var first results.Cursor
		err = step(ctx, func() (err error) { first, more, err = m.config.Results.FirstPlace(ctx, q); return err })
		if err != nil || !more {
			return nil, false, err
		}
		at := first.Ended.UTC()
		of := month{game, time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)}
		q.Since = of.end()
		about, err := m.stat(ctx, step, of)
		switch {
		case errors.Is(err, fs.ErrNotExist): // no match of it is rated
		case err != nil:
			return nil, false, err
		default:
			page = append(page, about)
		}
		return page, true, nil
	}}
}

// close frees all texts.
func (m *months) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.known {
		m.drop(f)
	}
	return nil
}
