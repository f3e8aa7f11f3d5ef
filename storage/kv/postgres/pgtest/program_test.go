package pgtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludoteca/sshapp/e2e/nodes"
)

// TestServe: a match is there on two nodes, and survives kill -9 of the program.
func TestServe(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), shared.address("postgres")+"&club=serve"
	one := nodes.Serve(t, filepath.Join(dir, "one"), "--store", store, "--node", "one")
	ana := nodes.NewPerson(t, "ana")
	before := ana.PlayRandom(t, one)
	var status struct {
		Kind    string `json:"store_kind"`
		Members int    `json:"store_members"`
		Reached int    `json:"store_reachable"`
		Bytes   int64  `json:"store_bytes"`
		Free    *int64 `json:"disk_free_bytes"`
	}
	out := nodes.MustRun(t, "status", "--data", filepath.Join(dir, "one"), "--json")
	if err := json.Unmarshal([]byte(out), &status); err != nil || status.Kind != "postgres" || status.Members != 1 || status.Reached != 1 || status.Bytes <= 0 || status.Free != nil {
		t.Errorf("status says %s, %v", out, err)
	}
	if out := nodes.MustRun(t, "status", "--data", filepath.Join(dir, "one")); !strings.Contains(out, "PostgreSQL") || !strings.Contains(out, "it answers") {
		t.Errorf("status says\n%s", out)
	}
	key, err := os.ReadFile(filepath.Join(dir, "one", "ssh_host_ed25519_key"))
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "two"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "two", "ssh_host_ed25519_key"), key, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	two := nodes.Serve(t, filepath.Join(dir, "two"), "--store", store, "--node", "two")
	if now := ana.Show(t, two, before.Code); fmt.Sprint(now) != fmt.Sprint(before) {
		t.Errorf("on the other node the match is %+v, was %+v", now, before)
	}
	ana.Move(t, two, before)
	for late := time.Now().Add(time.Minute); len(ana.Show(t, one, before.Code).Moves) < 4; {
		if time.Now().After(late) {
			t.Fatal("the first node knows nothing of a move on the second, or doesn't answer it")
		}
	}
	one.Kill()
	two.Kill()
	if _, err := os.Stat(filepath.Join(dir, "one", "ludoteca.db")); err == nil {
		t.Error("there is a file in the data folder too")
	}
	one = nodes.Serve(t, filepath.Join(dir, "one"), "--store", store, "--node", "one")
	after := ana.Show(t, one, before.Code)
	if len(after.Moves) != 4 {
		t.Errorf("after a restart the match is %+v, was %+v", after, before)
	}
	ana.Move(t, one, after)
	one.Stop()
	nodes.MustRun(t, "recompute", "--data", filepath.Join(dir, "one"), "--store", store)
}

// TestMove takes a club from a file to PostgreSQL and back.
func TestMove(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), shared.address("postgres")+"&club=move"
	data := func(name string) string { return filepath.Join(dir, name) }
	club := nodes.Serve(t, data("one"), "--store", "bolt")
	ana := nodes.NewPerson(t, "ana")
	match := ana.PlayRandom(t, club)
	file := data("one/ludoteca.db")
	club.Stop()
	nodes.MustFail(t, "are the same", "move-store", store, store)
	nodes.MustFail(t, "there is no club", "move-store", store, data("nothing.db"))
	out := nodes.MustRun(t, "move-store", file, store)
	if !strings.Contains(out, "  players\n") || !strings.Contains(out, "in all, read back and compared\n") {
		t.Errorf("move-store says\n%s", out)
	}
	if left := ask(t, shared, "SELECT count(DISTINCT revision)::text FROM club_move.changes")[0]; left != "1" {
		t.Errorf("the log still has %s revisions of the copy", left)
	}
	nodes.MustFail(t, "is not empty", "move-store", file, store)
	club = nodes.Serve(t, data("two"), "--store", store)
	if now := ana.Show(t, club, match.Code); fmt.Sprint(now) != fmt.Sprint(match) {
		t.Errorf("on PostgreSQL the match is %+v, was %+v", now, match)
	}
	ana.Move(t, club, match)
	nodes.MustFail(t, "stop all of its nodes", "move-store", store, data("back.db"))
	nodes.MustRun(t, "backup", "--data", data("two"), data("copy.db"))
	club.Stop()
	nodes.MustRun(t, "move-store", store, data("back.db"))
	if err := os.Mkdir(data("three"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(data("back.db"), data("three/ludoteca.db")); err != nil {
		t.Fatal(err)
	}
	club = nodes.Serve(t, data("three"), "--store", "bolt")
	if now := ana.Show(t, club, match.Code); len(now.Moves) < 3 {
		t.Errorf("back in a file the match is %+v", now)
	}
	club.Stop()
}
