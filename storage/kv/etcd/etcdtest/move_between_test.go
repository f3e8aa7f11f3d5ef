package etcdtest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"ludoteca/sshapp/e2e/nodes"
	"ludoteca/storage/kv/postgres/pgserver"
)

// TestMoveToPostgres takes a club from etcd to PostgreSQL and back: nothing is lost on the way, and neither is overwritten.
func TestMoveToPostgres(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start()
	pgserver.Require(t, err)
	defer server.Close()
	dir := t.TempDir()
	on, there, back := shared.address("between"), server.URL("postgres", pgserver.Superuser)+"&club=between", shared.address("again")
	club := nodes.Serve(t, filepath.Join(dir, "one"), "--store", on)
	ana := nodes.NewPerson(t, "ana")
	match := ana.PlayRandom(t, club)
	nodes.MustFail(t, "stop all of its nodes", "move-store", on, there)
	club.Stop()
	nodes.MustRun(t, "move-store", on, there)
	nodes.MustFail(t, "is not empty", "move-store", on, there)
	nodes.MustFail(t, "is not empty", "move-store", there, on)

	club = nodes.Serve(t, filepath.Join(dir, "two"), "--store", there)
	if now := ana.Show(t, club, match.Code); fmt.Sprint(now) != fmt.Sprint(match) {
		t.Errorf("on PostgreSQL the match is %+v, was %+v", now, match)
	}
	ana.Move(t, club, match)
	club.Stop()
	nodes.MustRun(t, "move-store", there, back)
	file := filepath.Join(dir, "file.db")
	nodes.MustRun(t, "move-store", there, file)
	o := shared.options()
	o.Namespace = "/ludoteca/again/"
	s := openAt(t, o)
	defer s.Close()
	if got, want := contents(t, s), inFile(t, file); len(want) == 0 || !maps.Equal(got, want) {
		t.Errorf("from PostgreSQL come %d keys to etcd and %d to a file, or others", len(got), len(want))
	}
	if now := ana.Show(t, nodes.Serve(t, filepath.Join(dir, "three"), "--store", back), match.Code); len(now.Moves) <= len(match.Moves) || !slices.Equal(now.Moves[:len(match.Moves)], match.Moves) {
		t.Errorf("back on etcd the match is %+v, was %+v", now, match)
	}
}
