package presence

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// TestOtherNodes: sessions on other nodes count like those here, each row replaces the one before, and a departure stays known.
func TestOtherNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := quiet()
		o := newOtherNodes(r)
		row := func(node cluster.NodeID, boards ...storage.MatchID) cluster.Present {
			p := cluster.Present{Node: node, Who: ana.Occupant(), Came: time.Now()}
			for _, id := range boards {
				p.Sessions = append(p.Sessions, cluster.AtBoard{Match: id, Since: time.Now()})
			}
			if len(boards) == 0 {
				p.Left = cluster.Departure{At: time.Now(), Command: true}
			}
			return p
		}
		idle := row("b", "m1")
		idle.Sessions[0].Idle = true
		for _, step := range []struct {
			name        string
			row         cluster.Present
			first, last bool
			boards      []storage.MatchID
			near        string // to m1
			looked      bool   // at m1, by a session on another node
			rows        int
		}{
			{"a session in the lobby", row("b", ""), true, false, nil, "away for 0s", false, 1},
			{"it looks at a board", row("b", "m1"), false, false, []storage.MatchID{"m1"}, "here", true, 1},
			{"the same again", row("b", "m1"), false, false, nil, "here", true, 1},
			{"it is idle", idle, false, false, []storage.MatchID{"m1"}, "away for 0s", true, 1},
			{"two sessions at another node", row("c", "m1", "m2"), false, false, []storage.MatchID{"m1", "m2"}, "here", true, 2},
			{"the first node is gone", cluster.Present{Node: "b", Who: ana.Occupant()}, false, false, []storage.MatchID{"m1"}, "here", true, 1},
			{"another board", row("c", "m3", "m2"), false, false, []storage.MatchID{"m1", "m3"}, "away for 0s", false, 1},
			{"the last session ends", row("c"), false, true, []storage.MatchID{"m2", "m3"}, "gone for 0s, by command", false, 0},
		} {
			first, last, boards := o.put(step.row)
			if first != step.first || last != step.last || !slices.Equal(boards, step.boards) {
				t.Errorf("%s: first %v, last %v, changes at %v, want %v, %v, %v", step.name, first, last, boards, step.first, step.last, step.boards)
			}
			if got := near(r, ana); got != step.near || r.LookedAt("m1") != step.looked || len(o.rows()) != step.rows {
				t.Errorf("%s: ana is %s, m1 is looked at %v, %d rows, want %s, %v, %d", step.name, got, r.LookedAt("m1"), len(o.rows()), step.near, step.looked, step.rows)
			}
			if o.isAt("c", ana.Key()) != slices.Contains(o.rows(), presentID("c", ana.Key())) {
				t.Errorf("%s: ana is at c: %v, and the rows are %v", step.name, o.isAt("c", ana.Key()), o.rows())
			}
		}
		time.Sleep(time.Second)
		late := row("d")
		late.Left.At = late.Left.At.Add(-time.Minute)
		o.put(late)
		if got := near(r, ana); got != "gone for 1s, by command" {
			t.Errorf("after an earlier departure ana is %s", got)
		}
		r.Forget(ana.Key())
		if left := fmt.Sprint(r.left.all, r.boards.all, r.boards.elsewhere, o.visits); left != "map[] map[] map[] map[]" {
			t.Errorf("left are %s", left)
		}
		v, _ := r.Enter(ana, true)
		v.At("m1")
		if r.LookedAt("m1") || len(r.Users()) != 1 || !slices.Equal(r.Here(match.KeyOf(ana.Occupant())).Sessions, []cluster.AtBoard{{Match: "m1", Since: time.Now()}}) {
			t.Errorf("a session here is at another node, or not in its row %+v", r.Here(ana.Key()))
		}
	})
}
