// Package control lets an operator reach a running club through a unix socket in the data folder. Commands on the same machine
// need it because bbolt locks its file. The operator is the user who may open the socket (mode 0600).
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ludoteca/atomicfile"
	"ludoteca/sshapp/status"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// SocketName is the name of the socket in the data folder.
const SocketName = "control.sock"

// maxSocketPath is the longest path of a socket, in bytes: the system has a fixed field for it, with a zero at the end.
const maxSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// ErrNotRunning says that no club is running on the data folder.
var ErrNotRunning = errors.New("no club is running on this data folder")

// A Store has the operations on the store that an operator can run while the club runs.
type Store interface {
	// Backup writes a consistent copy of the store to a new file.
	Backup(ctx context.Context, path string) (bytes int64, err error)
	// Recompute works out all ratings anew from the results.
	Recompute(ctx context.Context) (results.RecomputeReport, error)
	// Archive returns a page of the finished matches that everybody may see.
	Archive(ctx context.Context, after storage.MatchID, limit int) (results.ArchivePage, error)
}

// A Service holds what Serve offers to the operator.
type Service struct {
	Store
	Status func() status.Status

	// Operator runs the command operator with the words that follow it, and returns the exit status.
	Operator func(ctx context.Context, words []string, out, complaints io.Writer) (status int)
}

// maxWords is the largest size of a request for Service.Operator, in bytes.
const maxWords = 64 << 10

// An Answer is the output of an operator's command and its exit status.
type Answer struct {
	Out        string `json:"out"`
	Complaints string `json:"complaints"`
	Status     int    `json:"status"`
}

func (s Service) operate(w http.ResponseWriter, r *http.Request, log *slog.Logger) {
	var words []string
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxWords)).Decode(&words); err != nil {
		words := "a request that makes no sense"
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			words = fmt.Sprintf("the words of a command have at most %d bytes together", tooLarge.Limit)
		}
		http.Error(w, words, http.StatusBadRequest)
		return
	}
	var out, complaints strings.Builder
	status := s.Operator(r.Context(), words, &out, &complaints)
	answer(w, log, Answer{out.String(), complaints.String(), status}, nil)
}

// Listen opens the socket in the data folder, mode 0600, and replaces an existing one. The caller must hold the lock of the store, so that
// an existing socket can only be left over from a killed club.
func Listen(dataDir string) (net.Listener, error) {
	path := filepath.Join(dataDir, SocketName)
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("the path of the control socket %s has %d bytes, and the system allows %d: choose a data folder with a shorter path", path, len(path), maxSocketPath)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the control socket %s is in the way: %w", path, err)
	}
	old := syscall.Umask(0o177)
	l, err := net.Listen("unix", path)
	syscall.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("cannot open the control socket %s: %w", path, err)
	}
	return l, nil
}

// copyFolder and copyName are where copies are on their way out, in the folder for them.
const (
	copyFolder = ".backup-"
	copyName   = "copy.db"
)

// Serve answers the operator until ctx ends. Then it closes l, and returns when all requests have ended, so that nothing of them is left in
// temp, the folder for copies on their way out. Serve first removes copies that a killed club has left there.
func Serve(ctx context.Context, l net.Listener, s Service, temp string, log *slog.Logger) error {
	if err := atomicfile.RemoveFolders(temp, copyFolder, copyName, nil); err != nil {
		log.Warn("what is left of a copy of the store stays", "err", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /recompute", func(w http.ResponseWriter, r *http.Request) {
		report, err := s.Recompute(r.Context())
		answer(w, log, report, err)
	})
	mux.HandleFunc("GET /archive", func(w http.ResponseWriter, r *http.Request) {
		limit, err := strconv.Atoi(r.FormValue("limit"))
		if err != nil {
			http.Error(w, "a page of no size", http.StatusBadRequest)
			return
		}
		page, err := s.Archive(r.Context(), storage.MatchID(r.FormValue("after")), limit)
		answer(w, log, page, err)
	})
	mux.HandleFunc("POST /operator", func(w http.ResponseWriter, r *http.Request) { s.operate(w, r, log) })
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { answer(w, log, s.Status(), nil) })
	mux.HandleFunc("POST /backup", func(w http.ResponseWriter, r *http.Request) {
		if err := sendBackup(w, r, s.Store, temp); err != nil {
			answer(w, log, nil, err)
		}
	})
	srv := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { defer close(ended); shutdown(srv) })
	defer func() {
		if !stop() {
			<-ended
		}
	}()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("control socket: %w", err)
	}
	return nil
}

// shutdownTime is the time that the operator has to read an answer when the club closes.
const shutdownTime = 2 * time.Second

// shutdown closes a server and waits until its requests have ended. They must have been told to end before.
func shutdown(srv *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if srv.Shutdown(ctx) != nil {
		_ = srv.Close() // nothing is read: that ends the writing
	}
}

// sendBackup copies the store to a file first, so that a slow reader never holds a read transaction open.
func sendBackup(w http.ResponseWriter, r *http.Request, store Store, temp string) error {
	dir, err := os.MkdirTemp(temp, copyFolder+"*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, copyName)
	if _, err := store.Backup(r.Context(), path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// The open file is all that is needed: nothing of the copy is left behind, whatever happens while it is sent.
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Length", fmt.Sprint(info.Size()))
	_, _ = io.Copy(w, f) // a reader who went away sees by the length that it is not all
	return nil
}

func answer(w http.ResponseWriter, log *slog.Logger, result any, err error) {
	if err != nil {
		log.Error("control request failed", "err", err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(result)
}

// A Client talks to the running club.
type Client struct {
	http *http.Client
}

// Dial finds the club that runs on a data folder. The error is ErrNotRunning if there is none.
func Dial(ctx context.Context, dataDir string) (*Client, error) {
	path := filepath.Join(dataDir, SocketName)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	conn, err := dial(ctx, "", "")
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, ErrNotRunning
	case err != nil:
		return nil, fmt.Errorf("cannot reach the running club: %w", err)
	}
	conn.Close()
	return &Client{&http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}, nil
}

// Recompute asks the club to work out all ratings anew.
func (c *Client) Recompute(ctx context.Context) (results.RecomputeReport, error) {
	var report results.RecomputeReport
	err := c.ask(ctx, http.MethodPost, "/recompute", nil, &report)
	return report, err
}

// Archive asks the club for a page of the finished matches that everybody may see.
func (c *Client) Archive(ctx context.Context, after storage.MatchID, limit int) (results.ArchivePage, error) {
	var page results.ArchivePage
	query := url.Values{"after": {string(after)}, "limit": {strconv.Itoa(limit)}}
	err := c.ask(ctx, http.MethodGet, "/archive?"+query.Encode(), nil, &page)
	return page, err
}

// Operator has the club run the command operator with the words that follow it.
func (c *Client) Operator(ctx context.Context, words []string) (Answer, error) {
	var a Answer
	body, err := json.Marshal(words)
	if err != nil {
		return a, err
	}
	return a, c.ask(ctx, http.MethodPost, "/operator", bytes.NewReader(body), &a)
}

// Status asks the club how it is doing.
func (c *Client) Status(ctx context.Context) (status.Status, error) {
	var s status.Status
	err := c.ask(ctx, http.MethodGet, "/status", nil, &s)
	return s, err
}

// ask reads the club's answer.
func (c *Client) ask(ctx context.Context, method, path string, body io.Reader, answer any) error {
	resp, err := c.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		return fmt.Errorf("the club's answer cannot be read: %w", err)
	}
	return nil
}

// Backup writes a consistent copy of the club's store to the new file path, mode 0600, which gets its name when it is whole
// and on disk. A file that is there already is not touched, and the error is fs.ErrExist.
func (c *Client) Backup(ctx context.Context, path string) (bytes int64, err error) {
	err = atomicfile.Create(atomicfile.System{}, path, func(f *os.File) error {
		resp, err := c.do(ctx, http.MethodPost, "/backup", nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if bytes, err = io.Copy(f, resp.Body); err != nil { // the club has said how long it is
			return fmt.Errorf("the copy broke off: %w", err)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("backup to %s: %w", path, err)
	}
	return bytes, nil
}

func (c *Client) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://club"+path, body)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the running club does not answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		words, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return nil, fmt.Errorf("the running club refused: %s", strings.TrimSpace(string(words)))
	}
	return resp, nil
}
