package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ludoteca/games"
	"ludoteca/sshapp/status"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(settling{m}) }

// settling is a run of tests after which goroutines that are about to end are given the time to, however busy the machine.
type settling struct{ *testing.M }

func (s settling) Run() int {
	code := s.M.Run()
	for late := time.Now().Add(time.Minute); code == 0 && goleak.Find() != nil && time.Now().Before(late); {
		continue // Find has waited
	}
	return code
}

// fakeStore is a store whose answers are known.
type fakeStore struct {
	copy []byte
	err  error
}

func (p fakeStore) Backup(_ context.Context, path string) (int64, error) {
	if p.err != nil {
		return 0, p.err
	}
	return int64(len(p.copy)), os.WriteFile(path, p.copy, 0o600)
}

func (p fakeStore) Recompute(context.Context) (results.RecomputeReport, error) {
	return results.RecomputeReport{Results: 3, Ratings: 4, Differed: make([]results.Difference, 1)}, p.err
}

func (p fakeStore) Archive(_ context.Context, after storage.MatchID, limit int) (results.ArchivePage, error) {
	return results.ArchivePage{
		Club: "club", Last: after + "z", More: limit == 7, Damaged: []storage.MatchID{"damaged"},
		Matches: []results.ArchivedMatch{{Finished: archived, Names: [2]string{"Ann", "жук"}}},
	}, p.err
}

// archived is a match in which nothing is left out.
var archived = results.Finished{
	ID: "m1", Game: "petteia", Options: games.Options{"rows": 8}, First: storage.Occupant{Kind: storage.Person, ID: "p1", Name: "Ann"},
	Second: storage.Occupant{Kind: storage.Bot, ID: "random", Name: "Random"}, Result: "first", Reason: "goal", Plies: 2, Rated: true, Public: true, Start: 1,
	Helped: results.Help{Hints: 2, Takebacks: 3}, Setup: results.Setup{Clock: "3d", From: "8/8 x", Tournament: storage.TournamentBoard{ID: "e", Name: "Open", Round: 1, Board: 2}},
	Started: time.UnixMilli(1_700_000_000_123).UTC(), Ended: time.UnixMilli(1_700_000_900_123).UTC(),
	Course: results.Course{
		Moves: []games.Move{"a1-a5", "3:2"}, Left: []time.Duration{time.Millisecond, 72 * time.Hour},
		Times: []time.Time{time.UnixMilli(1_700_000_000_124).UTC(), time.UnixMilli(1_700_000_000_999).UTC()},
	},
	Effect: results.Effect{Ratings: &[2]results.RatingChange{
		{Before: results.Rating{}, After: results.Rating{Rating: 1500.1, Deviation: math.Pi, At: time.UnixMilli(1_700_000_900_123).UTC(), Played: 1}, Weight: 0.25, Why: results.Repeated},
		{Why: results.Unrated},
	}},
}

// TestArchive: a page of the archive comes back from a running club as it is.
func TestArchive(t *testing.T) {
	_, c := open(t, fakeStore{})
	for _, limit := range []int{7, 8} {
		want, _ := fakeStore{}.Archive(t.Context(), "a&b=c", limit)
		got, err := c.Archive(t.Context(), "a&b=c", limit)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v, -want +got:\n%s", err, diff)
		}
	}
	_, failing := open(t, fakeStore{err: errors.New("a disk is gone")})
	if _, err := failing.Archive(t.Context(), "", 1); err == nil || !strings.Contains(err.Error(), "a disk is gone") {
		t.Errorf("Archive of a store that fails: %v", err)
	}
}

// open serves a store on a new data folder, until the test ends.
func open(t *testing.T, store Store) (data string, c *Client) {
	t.Helper()
	data = t.TempDir()
	l, err := Listen(data)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	service := Service{
		Store: store, Status: func() status.Status { return status.Status{Sessions: 17, Since: time.Unix(1e9, 0).UTC()} },
		Operator: func(_ context.Context, words []string, out, complaints io.Writer) int {
			fmt.Fprintf(out, "%q", words)
			fmt.Fprint(complaints, "but")
			return len(words)
		},
	}
	go func() { served <- Serve(ctx, l, service, data, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		end()
		if err := <-served; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
	c, err = Dial(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	return data, c
}

// TestOperator: the words of an operator's command reach the club unchanged, and its answer comes back.
func TestOperator(t *testing.T) {
	_, c := open(t, fakeStore{})
	a, err := c.Operator(t.Context(), []string{"close", "ana", "--reason=it's \"loud\""})
	if want := (Answer{`["close" "ana" "--reason=it's \"loud\""]`, "but", 3}); err != nil || a != want {
		t.Errorf("Operator = %+v, %v, want %+v", a, err, want)
	}
	if _, err := c.Operator(t.Context(), []string{strings.Repeat("x", maxWords)}); err == nil || !strings.Contains(err.Error(), "have at most 65536 bytes together") {
		t.Errorf("a request without bounds: %v, want words that name the bound", err)
	}
}

func TestAsk(t *testing.T) {
	copied := bytes.Repeat([]byte("a page of the store "), 100_000)
	data, c := open(t, fakeStore{copy: copied})
	if s, err := c.Status(t.Context()); err != nil || s.Sessions != 17 || !s.Since.Equal(time.Unix(1e9, 0)) {
		t.Errorf("Status = %+v, %v", s, err)
	}
	if r, err := c.Recompute(t.Context()); err != nil || r.Results != 3 || r.Ratings != 4 || len(r.Differed) != 1 {
		t.Errorf("Recompute = %+v, %v", r, err)
	}
	path := filepath.Join(t.TempDir(), "backup.db")
	n, err := c.Backup(t.Context(), path)
	if err != nil || n != int64(len(copied)) {
		t.Fatalf("Backup = %d, %v", n, err)
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, copied) {
		t.Errorf("the backup has %d bytes, %v; want %d", len(got), err, len(copied))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup: %v, %v", info.Mode(), err)
	}
	if _, err := c.Backup(t.Context(), path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second backup to the same file: %v", err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, copied) {
		t.Error("the second backup changed the first")
	}
	// What was copied on the way is gone; the socket is there, for its owner alone.
	files, err := os.ReadDir(data)
	if err != nil || len(files) != 1 || files[0].Name() != SocketName {
		t.Errorf("the data folder has %v, %v", files, err)
	}
	if info, err := os.Stat(filepath.Join(data, SocketName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
}

func TestAskRefused(t *testing.T) {
	_, c := open(t, fakeStore{err: errors.New("the disk is full")})
	path := filepath.Join(t.TempDir(), "backup.db")
	if _, err := c.Backup(t.Context(), path); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("Backup = %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a backup that failed left a file: %v", err)
	}
	if _, err := c.Recompute(t.Context()); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("Recompute = %v", err)
	}
}

// A copy on its way has not got its name yet, and one that breaks off never gets it.
func TestBackupBreaksOff(t *testing.T) {
	data, folder := t.TempDir(), t.TempDir()
	l, err := Listen(data)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 1)
	srv := &http.Server{
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100000")
			_, _ = io.WriteString(w, "half a")
			_ = http.NewResponseController(w).Flush()
			for r.Context().Err() == nil {
				if files, err := os.ReadDir(folder); err == nil && len(files) > 0 {
					seen <- files[0].Name()
					break
				}
			}
			panic(http.ErrAbortHandler)
		}),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	c, err := Dial(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	n, err := c.Backup(t.Context(), filepath.Join(folder, "backup.db"))
	if n != 0 || err == nil || !strings.Contains(err.Error(), "broke off") {
		t.Errorf("Backup = %d, %v", n, err)
	}
	if name := <-seen; name == "backup.db" {
		t.Error("half a copy had the name of a whole one")
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("it left %v, %v", files, err)
	}
	_ = srv.Close()
	<-served
}

// slowStore is told to end while it makes a copy.
type slowStore struct {
	fakeStore
	begun chan struct{}
}

func (s slowStore) Backup(ctx context.Context, path string) (int64, error) {
	n, err := s.fakeStore.Backup(ctx, path)
	close(s.begun)
	<-ctx.Done()
	return n, err
}

// Serve ends when the requests have, so nothing of a copy is left behind.
func TestServeWaitsForRequests(t *testing.T) {
	data := t.TempDir()
	l, err := Listen(data)
	if err != nil {
		t.Fatal(err)
	}
	store := slowStore{fakeStore{copy: []byte("a store")}, make(chan struct{})}
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, Service{Store: store}, data, slog.New(slog.DiscardHandler)) }()
	c, err := Dial(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	asked, path := make(chan struct{}), filepath.Join(t.TempDir(), "backup.db")
	go func() {
		defer close(asked)
		_, _ = c.Backup(t.Context(), path) // may be in time or not
	}()
	<-store.begun
	end()
	if err := <-served; err != nil {
		t.Errorf("Serve = %v", err)
	}
	if files, err := os.ReadDir(data); err != nil || len(files) != 0 {
		t.Errorf("the data folder has %v, %v", files, err)
	}
	<-asked
}

// TestServeRemovesOldCopies: Serve removes unfinished copies of a killed club, and no other files or folders with similar names.
func TestServeRemovesOldCopies(t *testing.T) {
	data := t.TempDir()
	for _, folder := range []string{".backup-12", ".backup-of-may", "backup-13"} {
		if err := os.Mkdir(filepath.Join(data, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, folder, "copy.db.part-77"), []byte("half a"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Listen(data)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := Serve(ctx, l, Service{}, data, slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("Serve = %v", err)
	}
	var left []string
	files, err := os.ReadDir(data)
	for _, f := range files {
		left = append(left, f.Name())
	}
	if want := []string{".backup-of-may", "backup-13"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("the data folder has %q, %v; want %q", left, err, want)
	}
}

func TestNotRunning(t *testing.T) {
	data := t.TempDir()
	if _, err := Dial(t.Context(), data); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Dial without a socket = %v", err)
	}
	// A socket left over from a club that was killed: no process listens.
	l, err := Listen(data)
	if err != nil {
		t.Fatal(err)
	}
	l.(interface{ SetUnlinkOnClose(bool) }).SetUnlinkOnClose(false)
	_ = l.Close()
	if _, err := Dial(t.Context(), data); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Dial of a socket left behind = %v", err)
	}
	l, err = Listen(data)
	if err != nil {
		t.Fatalf("Listen where a socket was left behind: %v", err)
	}
	_ = l.Close()
	if err := os.MkdirAll(filepath.Join(data, SocketName, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(data); err == nil || !strings.Contains(err.Error(), "in the way") {
		t.Errorf("Listen where a folder is in the way = %v", err)
	}
}

// TestLongSocketPath: the error for a data folder whose path is too long for a socket tells to use a shorter path.
func TestLongSocketPath(t *testing.T) {
	_, err := Listen("/" + strings.Repeat("long", 30))
	if err == nil || !strings.Contains(err.Error(), "shorter path") {
		t.Errorf("%v, want a line that says what to do", err)
	}
}
