package sftpserver

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"go.uber.org/goleak"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/records"
	"ludoteca/sshapp/records/recordstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve serves a club to the other end of a pipe, which it returns. ended gets the error of Serve.
func serve(t *testing.T, c *recordstest.Club, o Options) (client net.Conn, ended <-chan error) {
	t.Helper()
	client, server := net.Pipe()
	errs := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		errs <- Serve(ctx, server, c.Tree.As(c.Players[0].ID, recordstest.AtOnce), o)
		_ = server.Close()
	}()
	t.Cleanup(func() {
		cancel()
		_ = errors.Join(client.Close(), server.Close())
		<-done
	})
	return client, errs
}

// connect returns a client of pkg/sftp.
func connect(t *testing.T, c *recordstest.Club, o Options) *sftp.Client {
	t.Helper()
	conn, _ := serve(t, c, o)
	client, err := sftp.NewClientPipe(conn, conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(conn.Close(), client.Close()) }) // first the connection, which the other side has closed or not
	return client
}

// TestEveryFile: every file that is listed has the size that the list and stat say, and the text of the record or its signature.
func TestEveryFile(t *testing.T) {
	c := recordstest.New(t, 120, 3)
	client := connect(t, c, Options{})
	texts, seen := map[string]string{}, 0
	for _, f := range c.Matches {
		r, err := c.Results.Record(t.Context(), f.ID, true)
		if err != nil {
			t.Fatal(err)
		}
		text, err := records.Writer(catalog.All()).Text(r.Finished)
		if err != nil {
			t.Fatal(err)
		}
		texts[string(f.ID)+".txt"] = string(text)
		sig, err := c.Signer.Sign(text)
		if err != nil {
			t.Fatal(err)
		}
		texts[string(f.ID)+".txt.sig"] = string(sig)
	}
	walker := client.Walk("/")
	for walker.Step() {
		if err := walker.Err(); err != nil {
			t.Fatal(err)
		}
		path, listed := walker.Path(), walker.Stat()
		if listed.IsDir() {
			continue
		}
		seen++
		about, err := client.Stat(path)
		if err != nil || about.Size() != listed.Size() || about.Mode() != 0o444 || !about.ModTime().Equal(listed.ModTime()) {
			t.Errorf("%s is listed as %v, and is %v, %v", path, listed, about, err)
		}
		f, err := client.Open(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil || int64(len(text)) != listed.Size() {
			t.Errorf("%s has %d bytes, want %d: %v", path, len(text), listed.Size(), err)
		}
		if want, ok := texts[listed.Name()]; ok && string(text) != want {
			t.Errorf("%s is %q, want %q", path, text, want)
		}
	}
	// Each match is there by its id, and by its players.
	if entries, err := client.ReadDir("/matches"); err != nil || seen < 2*len(entries) {
		t.Errorf("%d files, of which %d are matches: %v", seen, len(entries), err)
	}
	months, err := client.ReadDir("/games/tanks")
	if err != nil || len(months) == 0 {
		t.Fatalf("months %v, %v", months, err)
	}
	var all []string
	for _, f := range c.Matches {
		if f.Game == "tanks" && f.Rated && f.Ended.Format("2006-01")+".txt" == months[0].Name() {
			all = append(all, texts[string(f.ID)+".txt"])
		}
	}
	f, err := client.Open("/games/tanks/" + months[0].Name())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != strings.Join(all, "\n") || len(all) == 0 {
		t.Errorf("the month has %d bytes, want %d of %d records: %v", len(text), len(strings.Join(all, "\n")), len(all), err)
	}
}

// TestLongList: a list of ten thousand entries comes whole, each once.
func TestLongList(t *testing.T) {
	c := recordstest.New(t, 5000, 1)
	client := connect(t, c, Options{})
	entries, err := client.ReadDir("/players/ana")
	if err != nil || len(entries) != 10_000 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	if len(names) != len(entries) {
		t.Errorf("%d names of %d entries", len(names), len(entries))
	}
}

// TestReadOnly: every request that changes something is refused, and changes nothing.
func TestReadOnly(t *testing.T) {
	c := recordstest.New(t, 3, 1)
	client := connect(t, c, Options{})
	open := func(flags int) error {
		f, err := client.OpenFile("/README.txt", flags)
		if err == nil {
			err = f.Close()
		}
		return err
	}
	for name, err := range map[string]error{
		"create": open(os.O_CREATE | os.O_RDWR), "write": open(os.O_WRONLY), "read and write": open(os.O_RDWR), "truncate": open(os.O_RDWR | os.O_TRUNC), "append": open(os.O_WRONLY | os.O_APPEND),
		"remove": client.Remove("/README.txt"), "mkdir": client.Mkdir("/x"), "rmdir": client.RemoveDirectory("/matches"), "rename": client.Rename("/README.txt", "/x"),
		"posix rename": client.PosixRename("/README.txt", "/x"), "symlink": client.Symlink("/etc/passwd", "/x"), "link": client.Link("/README.txt", "/x"),
		"chmod": client.Chmod("/README.txt", 0o777), "chown": client.Chown("/README.txt", 0, 0), "chtimes": client.Chtimes("/README.txt", time.Now(), time.Now()),
		"cut": client.Truncate("/README.txt", 0),
	} {
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{"/etc/passwd", "/../etc/passwd", "/matches/../../../etc/passwd", "/proc/self/environ", "/matches/m0000000", "/matches/m0000000.txt/x", "/matches/\x00.txt",
		"/matches/" + strings.Repeat("a", 3000) + ".txt", "/players/\xff\xfe/m0000000.txt", "/players/ana\x00/m0000000.txt", "/players/жuk/m0000000.txt", "/games/tanks/2026-13.txt",
		"/games/tanks/0000-00.txt", "/games/tanks/9999-12.txt", "/games//2026-09.txt", "/x", "/matches/.txt", "/matches/.txt.sig"} {
		if f, err := client.Open(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v, %v", path, f, err)
		}
		if about, err := client.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("stat of %q: %v, %v", path, about, err)
		}
		if l, err := client.ReadDir(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("list of %q: %v, %v", path, l, err)
		}
		if link, err := client.ReadLink(path); err == nil {
			t.Errorf("%q is a link to %q", path, link)
		}
	}
}

// TestManyOpen: a client may have maxOpen files open, and others again when it closes some.
func TestManyOpen(t *testing.T) {
	c := recordstest.New(t, 3, 1)
	client := connect(t, c, Options{})
	var open []*sftp.File
	for range maxOpen {
		f, err := client.Open("/matches/m0000000.txt")
		if err != nil {
			t.Fatalf("file %d: %v", len(open), err)
		}
		open = append(open, f)
	}
	if _, err := client.Open("/matches/m0000001.txt"); err == nil || !strings.Contains(err.Error(), "may be open") {
		t.Errorf("one more: %v", err)
	}
	for _, f := range open[:2] {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		if _, err := client.Open("/matches/m0000001.txt"); err != nil {
			t.Errorf("after some were closed: %v", err)
		}
	}
}

// TestMonthStays: a month that is open stays as it is when a match ends meanwhile, also for fstat, and all who open it read one text.
func TestMonthStays(t *testing.T) {
	c := recordstest.New(t, 60, 2)
	client, other := connect(t, c, Options{}), connect(t, c, Options{})
	const path = "/games/tanks/2026-09.txt"
	f, err := client.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	c.Now = c.Now.Add(time.Hour) // what is known of the month has expired
	c.Add(t, "tanks", c.Now.Add(-time.Minute))
	if after, err := f.Stat(); err != nil || after.Size() != before.Size() {
		t.Errorf("it had %d bytes and has %d: %v", before.Size(), after.Size(), err)
	}
	if text, err := io.ReadAll(f); err != nil || int64(len(text)) != before.Size() {
		t.Errorf("%d bytes are read, want %d: %v", len(text), before.Size(), err)
	}
	if about, err := other.Stat(path); err != nil || about.Size() <= before.Size() {
		t.Errorf("others see %d bytes, want more than %d: %v", about.Size(), before.Size(), err)
	}
}

// request returns a request of a type with a body.
func request(kind byte, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(1+len(body)))
	return append(append(b, kind), body...)
}

func text(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

func number(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// TestHostile: requests that make no sense end the session, are refused or answered with no data, and nothing hangs.
func TestHostile(t *testing.T) {
	c := recordstest.New(t, 60, 1)
	const (
		initialize, open, closing, read, readdir, fstat, stat = 1, 3, 4, 5, 12, 8, 17
	)
	begin := request(initialize, number(3))
	openFile := func(path string) []byte {
		return request(open, append(append(text(number(7), path), number(1)...), number(0)...))
	}
	readAt := func(handle string, at uint64, n uint32) []byte {
		return request(read, append(binary.BigEndian.AppendUint64(text(number(8), handle), at), number(n)...))
	}
	const status, data = 101, 103
	for name, tt := range map[string]struct {
		sent []byte
		want byte // the type of the last answer; 0: the session ends
	}{
		"an empty request":             {number(0), 0},
		"a huge length":                {number(math.MaxUint32), 0},
		"a length above the bound":     {number(maxRequest + 1), 0},
		"half a request":               {[]byte{0, 0, 0, 9, open, 1}, 0},
		"a type that is none":          {request(99, number(1)), 0},
		"a path longer than it is":     {request(stat, append(number(1), 0xff, 0xff, 0xff, 0xff)), 0},
		"open without flags":           {request(open, text(number(7), "/README.txt")), 0},
		"a handle that is none":        {readAt("17", 0, 10), status},
		"a handle that is no number":   {readAt("../../x", 0, 10), status},
		"an unknown handle to close":   {request(closing, text(number(1), "1")), status},
		"an unknown handle to list":    {request(readdir, text(number(1), "1")), status},
		"an unknown handle to stat":    {request(fstat, text(number(1), "1")), status},
		"a read at 2^63":               {append(openFile("/README.txt"), readAt("1", 1<<63, 10)...), status},
		"a read at the last byte":      {append(openFile("/README.txt"), readAt("1", math.MaxUint64, 1)...), status},
		"a huge read":                  {append(openFile("/README.txt"), readAt("1", 0, math.MaxUint32)...), data},
		"a read of a month at 2^63":    {append(openFile("/games/tanks/2026-09.txt"), readAt("1", 1<<63, 10)...), status},
		"a list of a file":             {append(openFile("/README.txt"), request(readdir, text(number(1), "1"))...), data},
		"an extension that is none":    {request(200, text(number(1), "x@y")), status},
		"a write to what is only read": {append(openFile("/README.txt"), request(6, text(binary.BigEndian.AppendUint64(text(number(1), "1"), 0), "x"))...), data},
	} {
		t.Run(name, func(t *testing.T) {
			client, ended := serve(t, c, Options{})
			if err := client.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			go func() {
				_, _ = client.Write(append(bytes.Clone(begin), tt.sent...)) // the session may end before it has all
				if tt.want == 0 {
					_ = client.Close()
				}
			}()
			if tt.want == 0 {
				<-ended
				return
			}
			answers := 1 // to the beginning
			for rest := tt.sent; len(rest) >= 4; answers++ {
				rest = rest[4+binary.BigEndian.Uint32(rest):]
			}
			var last byte
			for range answers {
				var header [5]byte
				if _, err := io.ReadFull(client, header[:]); err != nil {
					t.Fatal(err)
				}
				last = header[4]
				length := binary.BigEndian.Uint32(header[:])
				if length > 64<<10 {
					t.Fatalf("an answer of %d bytes", length)
				}
				if _, err := io.CopyN(io.Discard, client, int64(length)-1); err != nil {
					t.Fatal(err)
				}
			}
			if last != tt.want {
				t.Errorf("an answer of type %d, want %d", last, tt.want)
			}
		})
	}
}

// TestSilence: a client that sends nothing for Options.Idle is gone, and one whose session ends too, whatever it has open.
func TestSilence(t *testing.T) {
	c := recordstest.New(t, 60, 1)
	_, ended := serve(t, c, Options{Idle: 20 * time.Millisecond})
	if err := <-ended; !errors.Is(err, ErrIdle) {
		t.Errorf("after silence: %v", err)
	}
	conn, ended := serve(t, c, Options{})
	client, err := sftp.NewClientPipe(conn, conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Open("/games/tanks/2026-09.txt"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("after the end of the connection: %v", err)
	}
	_ = client.Close()
}

// TestRate: each request waits for its turn, and a wait that fails ends the session.
func TestRate(t *testing.T) {
	c := recordstest.New(t, 3, 1)
	n := 0
	conn, ended := serve(t, c, Options{Wait: func(context.Context) error {
		if n++; n > 3 {
			return fmt.Errorf("request %d", n)
		}
		return nil
	}})
	client, err := sftp.NewClientPipe(conn, conn)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := client.Stat("/"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Stat("/"); err == nil {
		t.Error("the fourth request is served")
	}
	if err := <-ended; err == nil || !strings.HasSuffix(err.Error(), "request 4") {
		t.Errorf("the session ended with %v", err)
	}
	_ = client.Close()
}

// FuzzServe: whatever a client sends, the session ends when the client closes it, and no panic is served.
func FuzzServe(f *testing.F) {
	begin := request(1, number(3))
	f.Add(begin, request(17, text(number(1), "/matches")))
	f.Add(begin, request(11, text(number(1), "/players/ana")))
	f.Add(request(200, text(number(1), "statvfs@openssh.com")), number(5))
	f.Add(request(9, append(text(number(1), "/x"), number(0xffffffff)...)), request(3, append(text(number(7), "/x"), number(0x3f)...)))
	c := recordstest.New(f, 60, 1)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		in := bytes.NewReader(append(bytes.Clone(first), second...))
		err := Serve(t.Context(), pipe{in}, c.Tree.As("", recordstest.AtOnce), Options{OnPanic: func(value any, stack []byte) { t.Errorf("%v\n%s", value, stack) }})
		if err != nil {
			t.Log(err)
		}
	})
}

// A pipe has what a client has sent, and drops what it is sent.
type pipe struct{ io.Reader }

func (pipe) Write(p []byte) (int, error) { return len(p), nil }
func (pipe) Close() error                { return nil }
