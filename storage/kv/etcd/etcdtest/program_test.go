package etcdtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludoteca/sshapp/e2e/nodes"
)

// address returns the value of --store for a club on this cluster.
func (c *cluster) address(club string) string {
	return "etcd://" + strings.Join(c.endpoints(), ",") + "/" + club
}

// TestServe: a match survives kill -9 of the program.
func TestServe(t *testing.T) {
	t.Parallel()
	data, store := t.TempDir(), shared.address("serve")
	club := nodes.Serve(t, data, "--store", store)
	ana := nodes.NewPerson(t, "ana")
	before := ana.PlayRandom(t, club)
	var status struct {
		Kind    string `json:"store_kind"`
		Members int    `json:"store_members"`
		Reached int    `json:"store_reachable"`
		Bytes   int64  `json:"store_bytes"`
		Free    int64  `json:"disk_free_bytes"`
	}
	out, err := nodes.Command(t, "status", "--data", data, "--json").Output()
	if err != nil || json.Unmarshal(out, &status) != nil || status.Kind != "etcd" || status.Members != 3 || status.Reached != 3 ||
		status.Bytes <= 0 || status.Free <= 0 {
		t.Errorf("status says %s, %v", out, err)
	}
	if out, err := nodes.Command(t, "serve", "--listen", "127.0.0.1:0", "--data", data, "--store", store).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "another node") {
		t.Errorf("a second node on the same folder: %v, %s", err, out)
	}
	club.Kill()
	if _, err := os.Stat(filepath.Join(data, "ludoteca.db")); err == nil {
		t.Error("there is a file in the data folder too")
	}
	club = nodes.Serve(t, data, "--store", store)
	after := ana.Show(t, club, before.Code)
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("after a restart the match is %+v, was %+v", after, before)
	}
	ana.Move(t, club, after)
	club.Stop()
}
