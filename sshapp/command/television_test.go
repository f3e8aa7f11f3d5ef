package command

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// TestTelevision holds that tv prints the best match, with --json every change of it and then the next match, and ends with its caller.
func TestTelevision(t *testing.T) {
	h := newFixture(t)
	if out, _ := h.as("guest", Done, "tv"); out != "Nobody is playing just now.\n" {
		t.Errorf("without a match: %q", out)
	}
	begin := func(a, b string) (id, code string) {
		t.Helper()
		opened := h.object(a, "quick 4mation --casual --json")
		h.as(b, Done, "quick 4mation --casual")
		return opened["id"].(string), opened["code"].(string)
	}
	first, code := begin("ana", "rui")
	if out, _ := h.as("guest", Done, "tv"); !strings.Contains(out, "ana") || !strings.Contains(out, "rui") || strings.Contains(out, code) {
		t.Errorf("tv prints\n%s", out)
	}
	if out, _ := h.as("guest", Done, "tv petteia"); out != "Nobody is playing just now.\n" {
		t.Errorf("of a game without a match: %q", out)
	}
	h.as("guest", Refused, "tv chess")

	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	out, screen := io.Pipe()
	ended := make(chan int)
	go func() {
		status := h.run.Run(ctx, key("guest"), "tv 4mation --json", screen, io.Discard)
		screen.Close()
		ended <- status
	}()
	lines := bufio.NewScanner(out)
	next := func() (m map[string]any) {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("tv ends: %v", lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := next()
	if m["id"] != first || m["code"] != "" || m["ply"] != 0.0 {
		t.Errorf("the first line is %v", m)
	}
	second, _ := begin("eva", "zoe")
	mover := "ana"
	if m["first"] == "rui" {
		mover = "rui"
	}
	h.as(mover, Done, "move "+code+" d4")
	for m["ply"] != 1.0 {
		if m = next(); m["id"] != first {
			t.Fatalf("it leaves the match: %v", m)
		}
	}
	h.as("ana", Done, "resign "+code)
	for m["result"] == "" {
		if m = next(); m["id"] != first {
			t.Fatalf("it leaves the match before its end: %v", m)
		}
	}
	if m = next(); m["id"] != second {
		t.Errorf("after the end comes %v, want %s", m, second)
	}
	leave()
	for lines.Scan() {
	}
	if status := <-ended; status != Refused {
		t.Errorf("status %d", status)
	}
}
