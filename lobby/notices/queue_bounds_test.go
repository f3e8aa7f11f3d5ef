package notices

import (
	"fmt"
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/notices"
)

// TestRoomOfBlocks: notices that have failed leave room for those to other players, and to people of other blocks of addresses.
func TestRoomOfBlocks(t *testing.T) {
	r := newRoom(func(id storage.PlayerID) []Block {
		if id[0] == 'x' {
			return nil
		}
		return []Block{{Key: string(id[0]), Weight: 2}}
	})
	var all []notices.Queued
	queue := func(id string, n, tries int) {
		for i := range n {
			all = append(all, notices.Queued{Key: notices.NoticeKey{Player: storage.PlayerID(id), Name: fmt.Sprint(len(all), i)}, Tries: tries})
		}
		r.count(all)
	}
	want := func(what string, id storage.PlayerID, want bool) {
		t.Helper()
		if got := r.has(id); got != want {
			t.Errorf("%s: room for %s: %v, want %v", what, id, got, want)
		}
	}
	want("empty", "a1", true)
	queue("a1", notices.MaxFailing, 0)
	want("none has failed", "a1", true)
	queue("a2", notices.MaxFailing, 1)
	want("as many have failed as may", "a2", false)
	want("of others", "a1", true)
	for i := range 2*ofAddress - notices.MaxFailing - 1 {
		queue(fmt.Sprint("a-", i), 1, 4)
	}
	want("before the last of the block", "a1", true)
	queue("a3", 1, 2)
	want("the block is full", "a1", false)
	want("the block is full", "b1", true)
	for i := range ofBlock - 1 {
		queue(fmt.Sprint("b-", i), 1, 0)
	}
	want("before the last that is new", "b1", true)
	r.add("b2")
	want("a block with many new ones", "b1", false)
	want("a block with many new ones", "c1", true)
	for i := 0; len(all) < maxQueued-1; i++ {
		queue(fmt.Sprint("x-", i), 1, 0)
	}
	want("before the last of the club", "c1", true)
	r.add("x")
	want("the queue is full", "c1", false)
}
