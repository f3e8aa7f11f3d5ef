package e2e

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/hostkeys"
	"ludoteca/sshapp/e2e/sshclient"
)

// A fileClient fetches files with OpenSSH's sftp and scp, into a folder of its own.
type fileClient struct {
	t      *testing.T
	args   []string // before the host
	host   string   // with the user's name
	folder string
}

func newFileClient(t *testing.T, keys sshclient.Keyring, addr, name string) *fileClient {
	t.Helper()
	sshclient.Need(t, "sftp", "scp")
	args := keys.OpenSSH(t, addr, name)
	args[slices.Index(args, "-p")] = "-P"
	return &fileClient{t, args[:len(args)-1], args[len(args)-1], t.TempDir()}
}

// batch runs commands of sftp, and returns what it prints.
func (c *fileClient) batch(commands ...string) (out, complaints string, status int) {
	c.t.Helper()
	script := filepath.Join(c.folder, "batch")
	if err := os.WriteFile(script, []byte("lcd "+c.folder+"\n"+strings.Join(commands, "\n")+"\n"), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return output(c.t, nil, "sftp", slices.Concat([]string{"-q", "-o", "BatchMode=no", "-b", script}, c.args, []string{c.host})...)
}

// does runs commands of sftp that must succeed.
func (c *fileClient) does(commands ...string) string {
	c.t.Helper()
	out, complaints, status := c.batch(commands...)
	if status != 0 {
		c.t.Fatalf("sftp %q: status %d\n%s%s", commands, status, out, complaints)
	}
	return out
}

// names lists a folder.
func (c *fileClient) names(folder string) []string {
	c.t.Helper()
	var all []string
	for line := range strings.Lines(c.does("ls -1 " + folder)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "sftp>") {
			all = append(all, strings.TrimPrefix(line, folder+"/"))
		}
	}
	return all
}

// scp copies a file by scp.
func (c *fileClient) scp(path string, more ...string) (complaints string, status int) {
	c.t.Helper()
	_, complaints, status = output(c.t, nil, "scp", slices.Concat(more, c.args, []string{c.host + ":" + path, c.folder + "/"})...)
	return complaints, status
}

// read returns a file that was fetched.
func (c *fileClient) read(name string) []byte {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.folder, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return text
}

// verifies checks a record that was fetched with its signature, by the allowed signers that were.
func (c *fileClient) verifies(id string) bool {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "ssh-keygen", "-Y", "verify", "-f", "allowed_signers", "-I", "localhost", "-n", "ludoteca-record", "-s", id+".txt.sig")
	cmd.Dir, cmd.Stdin = c.folder, bytes.NewReader(c.read(id+".txt"))
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		c.t.Fatal(err)
	}
	c.t.Logf("%s", bytes.TrimSpace(out))
	return err == nil
}

// playedMatch plays a match of ana and rui, and returns its id.
func playedMatch(ana, rui *shell, flags ...string) (id string) {
	opened := ana.line(append([]string{"new", "4mation", "--side", "first"}, flags...)...)
	code := opened["code"].(string)
	rui.does("join", code)
	for i, move := range strings.Fields("a1 b2 b1 c2") {
		[]*shell{ana, rui}[i%2].does("move", code, move)
	}
	ana.does("resign", code)
	return opened["id"].(string)
}

// TestFiles fetches records with OpenSSH's own programs, and checks their signatures: also after the host key was replaced.
func TestFiles(t *testing.T) {
	t.Parallel()
	keys, data := sshclient.NewKeyring(t), t.TempDir()
	club := startClub(t, data)
	ana, rui := newShell(t, keys, club.addr, "ana"), newShell(t, keys, club.addr, "rui")
	ana.does("name", "ana")
	rui.does("name", "rui")
	rated, public, private := playedMatch(ana, rui, "--rated"), playedMatch(ana, rui, "--public"), playedMatch(ana, rui)
	want := ana.does("record", rated)
	month := "/games/fourmation/" + time.Now().UTC().Format("2006-01") + ".txt" // the test begins and ends in a month

	both := func(ids ...string) (names []string) {
		for _, id := range ids {
			names = append(names, id+".txt", id+".txt.sig")
		}
		slices.Sort(names)
		return names
	}
	for name, ids := range map[string][]string{"ana": {rated, public, private}, "rui": {rated, public, private}, "eva": {rated, public}, sshclient.Guest: {rated, public}} {
		c := newFileClient(t, keys, club.addr, name)
		for _, folder := range []string{"/matches", "/players/ana"} {
			if got := c.names(folder); !slices.Equal(got, both(ids...)) {
				t.Errorf("%s lists %q in %s, want %q", name, got, folder, both(ids...))
			}
		}
		c.does("get /README.txt", "get /allowed_signers", "get /matches/"+rated+".txt", "get /matches/"+rated+".txt.sig", "get "+month)
		if got := c.read(rated + ".txt"); string(got) != want {
			t.Errorf("%s gets\n%s, want\n%s", name, got, want)
		}
		if !c.verifies(rated) {
			t.Errorf("%s can't verify the record", name)
		}
		if got := c.read(filepath.Base(month)); string(got) != want {
			t.Errorf("the file of the month is\n%s, want\n%s", got, want)
		}
		for _, path := range []string{"/matches/" + private + ".txt", "/players/ana/" + private + ".txt.sig"} {
			if _, status := c.scp(path); (status == 0) != slices.Contains(ids, private) {
				t.Errorf("%s fetches a private match by scp: status %d", name, status)
			}
		}
	}

	c := newFileClient(t, keys, club.addr, "ana")
	if got, want := c.names("/"), []string{"/README.txt", "/allowed_signers", "/games", "/matches", "/players"}; !slices.Equal(got, want) {
		t.Errorf("the root has %q, want %q", got, want)
	}
	if got := c.names("/players"); !slices.Equal(got, []string{"ana", "rui"}) {
		t.Errorf("players %q", got)
	}
	if got := c.names("/games/fourmation"); !slices.Equal(got, []string{filepath.Base(month)}) {
		t.Errorf("months %q", got)
	}
	if got := c.names("/games/petteia"); len(got) != 0 {
		t.Errorf("months %q of a game that nobody has played", got)
	}
	long := c.does("ls -ln /matches/" + rated + ".txt")
	if !strings.Contains(long, fmt.Sprintf(" %d ", len(want))) || !strings.Contains(long, "-r--r--r--") {
		t.Errorf("%q, want a size of %d", long, len(want))
	}
	if complaints, status := c.scp("/matches/" + rated + ".txt"); status != 0 || string(c.read(rated+".txt")) != want {
		t.Errorf("scp: status %d: %s", status, complaints)
	}
	if complaints, status := c.scp("/players/ana", "-r"); status != 0 || len(complaints) > 0 {
		t.Errorf("scp -r: status %d: %s", status, complaints)
	}
	if fetched, err := os.ReadDir(filepath.Join(c.folder, "ana")); err != nil || len(fetched) != 6 {
		t.Errorf("scp -r fetched %v, %v", fetched, err)
	}
	if complaints, status := c.scp("/matches/"+rated+".txt", "-O"); status == 0 || !strings.Contains(complaints, "leave out -O") {
		t.Errorf("scp -O: status %d: %s", status, complaints)
	}

	// What isn't there, and what nobody may do.
	for _, path := range []string{"/etc/passwd", "/../../etc/passwd", "/matches/../../etc/passwd", "/matches/", "/matches/x", "/matches/" + rated, "/matches/" + rated + ".sig",
		"/players/nobody/" + rated + ".txt", "/players/../matches", "/players/" + strings.Repeat("a", 3000), "/players/Жук/" + rated + ".txt",
		"/games/fourmation/2026-1.txt", "/games/fourmation/9999-12.txt", "/games/chess/2026-01.txt", "/ludoteca.db"} {
		if _, _, status := c.batch("get \"" + path + "\""); status == 0 {
			t.Errorf("%s was fetched", path)
		}
	}
	for _, change := range []string{"put batch /matches/x.txt", "put batch /README.txt", "rm /README.txt", "mkdir /x", "rmdir /matches", "rename /README.txt /x", "symlink /README.txt /x",
		"ln /README.txt /x", "chmod 777 /README.txt"} {
		if _, complaints, status := c.batch(change); status == 0 || !strings.Contains(complaints, "ermission denied") {
			t.Errorf("%s: status %d: %s", change, status, complaints)
		}
	}

	// A changed record doesn't verify.
	c.does("get /allowed_signers", "get /matches/"+rated+".txt", "get /matches/"+rated+".txt.sig")
	changed := bytes.Replace(c.read(rated+".txt"), []byte("0-1"), []byte("1-0"), 2)
	if err := os.WriteFile(filepath.Join(c.folder, rated+".txt"), changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if c.verifies(rated) {
		t.Error("a changed record verifies")
	}
	old := c.read(rated + ".txt.sig")

	// Another host key: what the old one has signed is the club's still, until an operator distrusts it.
	club.stop(t)
	for _, name := range []string{hostkeys.FileName, hostkeys.RSAFileName} {
		if err := os.Remove(filepath.Join(data, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	club = startClub(t, data)
	c = newFileClient(t, keys, club.addr, "ana")
	fetch := func() {
		t.Helper()
		c.does("get /allowed_signers", "get /matches/"+rated+".txt", "get /matches/"+rated+".txt.sig")
	}
	fetch()
	if bytes.Equal(c.read(rated+".txt.sig"), old) || !c.verifies(rated) {
		t.Error("what the new key signs doesn't verify")
	}
	keepOld := func() {
		if err := os.WriteFile(filepath.Join(c.folder, rated+".txt.sig"), old, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if keepOld(); !c.verifies(rated) {
		t.Error("what the old key has signed doesn't verify")
	}
	var signers here
	signers.args = []string{"operator", "signers", "--data", data}
	if signers.run(t) != 0 || strings.Count(signers.out.String(), "\n") != 2 {
		t.Fatalf("signers: %s%s", signers.out.String(), signers.errs.String())
	}
	distrust := here{args: []string{"operator", "distrust", strings.Fields(signers.out.String())[0], "--reason", "stolen", "--data", data}}
	if distrust.run(t) != 0 {
		t.Fatal(distrust.errs.String())
	}
	if fetch(); !c.verifies(rated) {
		t.Error("what the new key signs doesn't verify any more")
	}
	if keepOld(); c.verifies(rated) {
		t.Error("what a distrusted key has signed verifies")
	}
	if left, err := os.ReadDir(filepath.Join(data, "records")); err != nil && !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
		t.Errorf("%v, %v are left in the data folder", left, err)
	}
}

// TestSSHFS mounts the records of a club, where the machine can: a file system needs exact sizes, and reads what it likes.
func TestSSHFS(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sshfs", "fusermount3"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	keys := sshclient.NewKeyring(t)
	club := startClub(t, t.TempDir())
	ana, rui := newShell(t, keys, club.addr, "ana"), newShell(t, keys, club.addr, "rui")
	ana.does("name", "ana")
	rui.does("name", "rui")
	id := playedMatch(ana, rui, "--rated")
	args := keys.OpenSSH(t, club.addr, "ana")
	host := args[len(args)-1]
	options := []string{host + ":/", keys.Path("mnt")}
	for i := 0; i < len(args)-1; i += 2 {
		value := map[string]string{"-F": "-F", "-p": "port=", "-i": "IdentityFile="}[args[i]]
		switch value {
		case "-F":
			options = append(options, "-F", args[i+1])
		case "":
			options = append(options, "-o", args[i+1])
		default:
			options = append(options, "-o", value+args[i+1])
		}
	}
	if err := os.Mkdir(keys.Path("mnt"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, complaints, status := output(t, nil, "sshfs", options...); status != 0 {
		t.Skipf("this machine mounts nothing: %s", complaints)
	}
	defer func() {
		if _, complaints, status := output(t, nil, "fusermount3", "-u", keys.Path("mnt")); status != 0 {
			t.Errorf("unmount: %s", complaints)
		}
	}()
	text, err := os.ReadFile(keys.Path("mnt/players/ana/" + id + ".txt"))
	if want := ana.does("record", id); err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	if err := os.WriteFile(keys.Path("mnt/README.txt"), nil, 0o600); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("README.txt was written: %v", err)
	}
	months, err := os.ReadDir(keys.Path("mnt/games/fourmation"))
	if err != nil || len(months) != 1 {
		t.Errorf("months %v, %v", months, err)
	}
}

// TestFilesUnread: a client that asks for files and reads nothing loses its connection, and holds up nobody else.
func TestFilesUnread(t *testing.T) {
	t.Parallel()
	keys := sshclient.NewKeyring(t)
	club := startClub(t, t.TempDir(), "--write-stall=1s")
	rude := sshclient.MustDial(t, club.addr, "rude", sshclient.NewSigner(t))
	defer rude.Close()
	session, err := rude.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	in, err := session.StdinPipe()
	if err == nil {
		_, err = session.StdoutPipe() // which is never read
	}
	if err == nil {
		err = session.RequestSubsystem("sftp")
	}
	if err != nil {
		t.Fatal(err)
	}
	request := func(kind byte, fields ...any) []byte {
		body := []byte{kind}
		for _, f := range fields {
			switch f := f.(type) {
			case string:
				body = append(binary.BigEndian.AppendUint32(body, uint32(len(f))), f...)
			case uint32:
				body = binary.BigEndian.AppendUint32(body, f)
			case uint64:
				body = binary.BigEndian.AppendUint64(body, f)
			}
		}
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	}
	flood := slices.Concat(request(1, uint32(3)), request(3, uint32(1), "/README.txt", uint32(1), uint32(0)),
		bytes.Repeat(request(5, uint32(2), "1", uint64(0), uint32(32<<10)), 20_000))
	go func() { _, _ = in.Write(flood) }() // ends with the connection, which ends meanwhile
	ended := make(chan error, 1)
	go func() { ended <- rude.Wait() }()

	other := newFileClient(t, keys, club.addr, "eva")
	for range 3 {
		other.does("get /README.txt")
	}
	select {
	case <-ended:
	case <-time.After(sshclient.Patience):
		t.Fatal("a client that reads nothing is still there")
	}
	other.does("get /README.txt")
	if !strings.Contains(club.Stderr(), "stall") {
		t.Errorf("the log says nothing of it:\n%s", club.Stderr())
	}
}
