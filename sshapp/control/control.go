// Package control is the operator's way to a running club: a unix socket in the data folder, through which commands on the
// same machine reach it, because bbolt locks its file. The operator is the user who may open the socket (mode 0600).
package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ludoteca/sshapp/status"
	"ludoteca/storage"
)

// SocketName is the name of the socket in the data folder.
const SocketName = "control.sock"

// ErrNoClub says that no club is running on the data folder.
var ErrNoClub = errors.New("no club is running on this data folder")

// A Club is what the operator can ask of a running club.
type Club interface {
	// Backup writes a consistent copy of the store to a new file.
	Backup(ctx context.Context, path string) (bytes int64, err error)
	// Recompute works out all ratings anew from the results.
	Recompute(ctx context.Context) (storage.RecomputeReport, error)
}

// Running is a club that runs.
type Running struct {
	Club
	Status func() status.Status
}

// Listen opens the socket in the data folder, mode 0600. The caller must hold the lock of the store, so that a socket
// that is already there can only be left over from a club that was killed; it is replaced.
func Listen(dataDir string) (net.Listener, error) {
	path := filepath.Join(dataDir, SocketName)
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

// Serve answers the operator until ctx ends, then closes l and returns when what they have asked for has ended too, so that nothing
// of it is left in temp, the folder for copies on their way out.
func Serve(ctx context.Context, l net.Listener, club Running, temp string, log *slog.Logger) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /recompute", func(w http.ResponseWriter, r *http.Request) {
		report, err := club.Recompute(r.Context())
		answer(w, log, report, err)
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { answer(w, log, club.Status(), nil) })
	mux.HandleFunc("POST /backup", func(w http.ResponseWriter, r *http.Request) {
		if err := sendBackup(w, r, club, temp); err != nil {
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
	stop := context.AfterFunc(ctx, func() { defer close(ended); shut(srv) })
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

// lastWords is how long the operator has to read an answer when the club closes.
const lastWords = 2 * time.Second

// shut ends a server whose requests have been told to end, and waits until they have.
func shut(srv *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if srv.Shutdown(ctx) != nil {
		_ = srv.Close() // nothing is read: that ends the writing
	}
}

// sendBackup copies the store to a file first, so that a slow reader never holds a read transaction open.
func sendBackup(w http.ResponseWriter, r *http.Request, club Club, temp string) error {
	dir, err := os.MkdirTemp(temp, "backup-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "copy.db")
	if _, err := club.Backup(r.Context(), path); err != nil {
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
