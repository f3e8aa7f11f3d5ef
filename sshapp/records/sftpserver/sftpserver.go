// Package sftpserver serves the files of a club to one session by SFTP, read only.
//
// github.com/pkg/sftp speaks the protocol. What this package adds are bounds: on the length of a request, on their rate, on the files that are open
// and the memory that they hold, and on the time without a request. It refuses everything that writes.
package sftpserver

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"sync"
	"time"

	"github.com/pkg/sftp"

	"ludoteca/sshapp/records/files"
)

// Bounds of a session.
const (
	maxRequest = 16 << 10 // bytes: more than a request to read with the longest path has
	maxOpen    = 64       // files and folders
	maxMemory  = 4 << 20  // bytes of open files in memory
)

// ErrIdle says that a client has sent no request for Options.Idle.
var ErrIdle = errors.New("sftpserver: no request for a long time")

// errLength says that a client has sent a request of no bytes, or of more than one that reads has.
var errLength = errors.New("sftpserver: a request of a wrong length")

// Options say how a session is served.
type Options struct {
	Idle    time.Duration                   // without a request, after which the session ends; 0: it has no end
	Wait    func(ctx context.Context) error // waits until the rate allows another request; nil: at once
	Refusal func(err error) (words string)  // says why something is refused that may be tried again; "" for all that a client isn't told
	OnError func(err error)                 // is called for an error that the client isn't told; nil: it is dropped
	OnPanic func(value any, stack []byte)   // is called for a panic while a request is served; nil: it is dropped
}

// Serve serves files to a client until the client closes its side, the error being nil then, or until ctx ends. Reading and writing rw ends with
// ctx, and when it is closed. Serve closes it when it ends by itself.
func Serve(ctx context.Context, rw io.ReadWriteCloser, view *files.View, o Options) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	answers := newAnswerWriter(rw)
	requests := &requestReader{ctx: ctx, from: rw, wait: o.Wait, answers: answers}
	if o.Idle > 0 {
		idle := time.AfterFunc(o.Idle, func() {
			end(ErrIdle)
			_ = rw.Close() // the read that hangs returns, and says the rest
		})
		defer idle.Stop()
		requests.arrived = func() { idle.Reset(o.Idle) }
	}
	s := &session{ctx: ctx, view: view, options: o, months: make(map[string]*openFile)}
	err := sftp.NewRequestServer(stream{requests, answers}, sftp.Handlers{FileGet: s, FilePut: s, FileCmd: s, FileList: s}).Serve()
	switch cause := context.Cause(ctx); {
	case cause != nil:
		return cause
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // with files that are still open
		return nil
	}
	return err
}

// A stream is what the client sends and is sent.
type stream struct {
	*requestReader
	*answerWriter
}

// Close implements io.Closer.
func (s stream) Close() error { return s.to.Close() }

// The types of the requests that open something.
const (
	openFileType   = 3
	openFolderType = 11
)

// A requestReader reads requests, bounded in length and rate. After one that opens a file or a folder it waits for all answers: the library reads
// what it opens while it is still being opened, if a client guesses the handle.
type requestReader struct {
	ctx     context.Context
	from    io.Reader
	wait    func(ctx context.Context) error
	arrived func() // a request has begun
	answers *answerWriter

	header [5]byte // the length of the request, and its type
	ready  []byte  // of the header, to be returned
	left   int     // bytes of the request, after the header
	begun  int     // requests
}

// Read returns the next bytes of a request.
func (r *requestReader) Read(p []byte) (int, error) {
	if len(r.ready) == 0 && r.left == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	if len(r.ready) > 0 {
		n := copy(p, r.ready)
		r.ready = r.ready[n:]
		return n, nil
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// next reads the length and the type of the next request, and waits until the rate and the answers to those before allow it.
func (r *requestReader) next() error {
	opened := r.begun > 0 && (r.header[4] == openFileType || r.header[4] == openFolderType)
	if _, err := io.ReadFull(r.from, r.header[:]); err != nil {
		return err
	}
	length := binary.BigEndian.Uint32(r.header[:4])
	if length == 0 || length > maxRequest {
		return errLength
	}
	if r.arrived != nil {
		r.arrived()
	}
	if opened {
		if err := r.answers.until(r.ctx, r.begun); err != nil {
			return err
		}
	}
	r.begun++
	r.ready, r.left = r.header[:], int(length)-1
	if r.wait == nil {
		return nil
	}
	return r.wait(r.ctx)
}

// An answerWriter writes answers, and counts them. Each request has one.
type answerWriter struct {
	to io.WriteCloser

	// Of the goroutine that writes.
	header []byte // of the length of an answer, as far as it was written
	left   int    // bytes of the answer, after its length

	mu     sync.Mutex // guards what follows
	whole  int        // answers
	wakeup chan struct{}
}

func newAnswerWriter(to io.WriteCloser) *answerWriter {
	return &answerWriter{to: to, wakeup: make(chan struct{}, 1)}
}

// Write writes a part of an answer, or several.
func (w *answerWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	for p = p[:n]; len(p) > 0; {
		if w.left == 0 {
			taken := min(4-len(w.header), len(p))
			w.header, p = append(w.header, p[:taken]...), p[taken:]
			if len(w.header) < 4 {
				break
			}
			w.left, w.header = int(binary.BigEndian.Uint32(w.header)), w.header[:0]
		}
		taken := min(w.left, len(p))
		if w.left, p = w.left-taken, p[taken:]; w.left == 0 {
			w.answered()
		}
	}
	return n, err
}

// answered counts an answer.
func (w *answerWriter) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole++
	select {
	case w.wakeup <- struct{}{}:
	default: // the reader has yet to see the last one
	}
}

// until waits until a number of answers have been written, or until ctx ends.
func (w *answerWriter) until(ctx context.Context, answers int) error {
	for {
		w.mu.Lock()
		enough := w.whole >= answers
		w.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-w.wakeup:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// A session has the handlers of one session.
type session struct {
	ctx     context.Context
	view    *files.View
	options Options

	mu     sync.Mutex // guards what follows
	open   int        // files and folders
	memory int        // bytes of open files
	months map[string]*openFile
}

// guard runs a handler: it turns errors into ones for the client, and a panic into an error.
func (s *session) guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if s.options.OnPanic != nil {
				s.options.OnPanic(p, debug.Stack())
			}
			err = sftp.ErrSSHFxFailure
		}
	}()
	switch err = do(); {
	case err == nil || errors.Is(err, io.EOF) || s.ctx.Err() != nil:
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case errors.Is(err, errMany):
		return errMany
	case s.options.Refusal != nil:
		if words := s.options.Refusal(err); words != "" {
			return errors.New(words)
		}
	}
	if s.options.OnError != nil {
		s.options.OnError(err)
	}
	return sftp.ErrSSHFxFailure
}

// errMany is what a client is told that opens too much at once.
var errMany = fmt.Errorf("at most %d files and folders may be open, with %d bytes of records", maxOpen, maxMemory)

// enter counts an open file or folder.
func (s *session) enter(memory int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= maxOpen || s.memory+memory > maxMemory {
		return errMany
	}
	s.open, s.memory = s.open+1, s.memory+memory
	return nil
}

func (s *session) leave(memory int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open, s.memory = s.open-1, s.memory-memory
}

// An openFile is a file that the client has open.
type openFile struct {
	files.File
	session *session
	path    string
	close   func() error
}

// Fileread implements sftp.FileReader: it opens a file.
func (s *session) Fileread(r *sftp.Request) (read io.ReaderAt, err error) {
	err = s.guard(func() error {
		if err := s.enter(0); err != nil { // before the file is made
			return err
		}
		f, err := s.view.Open(s.ctx, r.Filepath)
		s.leave(0)
		if err != nil {
			return err
		}
		if err := s.enter(f.Memory()); err != nil {
			return errors.Join(err, f.Close())
		}
		o := &openFile{File: f, session: s, path: r.Filepath}
		o.close = sync.OnceValue(o.leave)
		s.mu.Lock()
		defer s.mu.Unlock()
		if f.Memory() == 0 {
			s.months[o.path] = o
		}
		read = o
		return nil
	})
	return read, err
}

// ReadAt implements io.ReaderAt.
func (o *openFile) ReadAt(p []byte, at int64) (n int, err error) {
	err = o.session.guard(func() error {
		if at < 0 {
			return io.EOF // beyond the end of any file, as a number without a sign
		}
		n, err = o.File.ReadAt(p, at)
		return err
	})
	return n, err
}

// Close implements io.Closer.
func (o *openFile) Close() error { return o.session.guard(o.close) }

func (o *openFile) leave() error {
	o.session.mu.Lock()
	if o.session.months[o.path] == o {
		delete(o.session.months, o.path)
	}
	o.session.mu.Unlock()
	o.session.leave(o.Memory())
	return o.File.Close()
}

// Filewrite implements sftp.FileWriter: nobody may write.
func (s *session) Filewrite(*sftp.Request) (io.WriterAt, error) {
	return nil, sftp.ErrSSHFxPermissionDenied
}

// Filecmd implements sftp.FileCmder: nobody may change anything.
func (s *session) Filecmd(*sftp.Request) error { return sftp.ErrSSHFxPermissionDenied }

// Filelist implements sftp.FileLister: it opens a folder, or describes a file or a folder.
func (s *session) Filelist(r *sftp.Request) (list sftp.ListerAt, err error) {
	err = s.guard(func() error {
		switch r.Method {
		case "List":
			if err := s.enter(0); err != nil {
				return err
			}
			l, err := s.view.List(s.ctx, r.Filepath)
			if err != nil {
				s.leave(0)
				return err
			}
			list = &openFolder{session: s, list: l, close: sync.OnceFunc(func() { s.leave(0) })}
			return nil
		case "Stat":
			about, err := s.stat(r.Filepath)
			list = oneEntry{about}
			return err
		}
		return fs.ErrNotExist // a link: there are none
	})
	return list, err
}

// stat describes a file. What is open is as it was when it was opened: the protocol's fstat comes here by the path.
func (s *session) stat(path string) (fs.FileInfo, error) {
	s.mu.Lock()
	o := s.months[path]
	s.mu.Unlock()
	if o != nil {
		return o.Info(), nil
	}
	return s.view.Stat(s.ctx, path)
}

// A oneEntry is a file that is described.
type oneEntry struct{ fs.FileInfo }

// ListAt implements sftp.ListerAt.
func (e oneEntry) ListAt(to []fs.FileInfo, at int64) (int, error) {
	if at > 0 {
		return 0, io.EOF
	}
	return copy(to, []fs.FileInfo{e.FileInfo}), nil
}

// An openFolder is a folder that the client has open. It is read from the beginning to the end.
type openFolder struct {
	session *session
	list    *files.List
	close   func()
}

// ListAt implements sftp.ListerAt. The server asks for one page after the other.
func (o *openFolder) ListAt(to []fs.FileInfo, _ int64) (n int, err error) {
	err = o.session.guard(func() error {
		page, err := o.list.Next(o.session.ctx, len(to))
		n = copy(to, page)
		return err
	})
	return n, err
}

// Close implements io.Closer.
func (o *openFolder) Close() error {
	o.close()
	return nil
}
