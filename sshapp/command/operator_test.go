package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/status"
)

// TestStatusIsTheOperators: for everybody else there is no such command.
func TestStatusIsTheOperators(t *testing.T) {
	h := newHouse(t)
	h.run = h.run.With(Options{Status: func() status.Status { return status.Status{Sessions: 17} }})
	operator := key("ana")
	operator.Operator = true
	ask := func(who Caller, line string) (status int, out, complaints string) {
		var o, e bytes.Buffer
		status = h.run.Run(t.Context(), who, line, &o, &e)
		return status, o.String(), e.String()
	}
	code, out, complaints := ask(operator, "status")
	if code != Done || !strings.Contains(out, "sessions          17\n") || complaints != "" {
		t.Errorf("the operator's status: %d %q %q", code, out, complaints)
	}
	code, out, _ = ask(operator, "status --json")
	var got status.Status
	if err := json.Unmarshal([]byte(out), &got); code != Done || err != nil || got.Sessions != 17 {
		t.Errorf("the operator's status --json: %d %q, %v", code, out, err)
	}
	if _, out, _ := ask(operator, "help"); !strings.Contains(out, "  status ") {
		t.Errorf("the operator's help does not list status:\n%s", out)
	}
	for _, line := range []string{"status", "status --json", "help status", "help", "banana"} {
		for _, name := range []string{"ana", "guest"} {
			unknown := strings.ReplaceAll(line, "status", "sstatus")
			code, out, complaints := ask(key(name), line)
			wantCode, wantOut, wantComplaints := ask(key(name), unknown)
			if code != wantCode || out != wantOut || complaints != strings.ReplaceAll(wantComplaints, "sstatus", "status") {
				t.Errorf("%s of %s: %d %q %q, want the answer to something unknown: %d %q %q",
					line, name, code, out, complaints, wantCode, wantOut, wantComplaints)
			}
		}
	}
	h.run = h.run.With(Options{})
	if code, _, _ := ask(operator, "status"); code != Usage {
		t.Errorf("status without a source gives %d", code)
	}
}

// TestSignUpOfCaller: who makes accounts for a caller is asked, and may refuse.
func TestSignUpOfCaller(t *testing.T) {
	h := newHouse(t)
	for _, line := range []string{"new 4mation", "name ana"} {
		who := key("ana")
		asked := 0
		who.SignUp = func(_ context.Context, fingerprint, name string) (lobby.Who, error) {
			asked++
			if fingerprint != "SHA256:ana" || name != "ana" {
				t.Errorf("asked for %q with %q", name, fingerprint)
			}
			return lobby.Who{}, lobby.ErrManyAccounts
		}
		var complaints bytes.Buffer
		code := h.run.Run(t.Context(), who, line, io.Discard, &complaints)
		if code != Refused || asked != 1 || !strings.Contains(complaints.String(), "Too many new names from your address") {
			t.Errorf("%s: %d, asked %d times, %q", line, code, asked, complaints.String())
		}
	}
}

// TestPromptGrowsTired of one who says nothing, but not of one who follows a match.
func TestPromptGrowsTired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := (&Runner{}).With(Options{Idle: time.Minute})
		in, keyboard := io.Pipe()
		began := time.Now()
		var complaints bytes.Buffer
		ended := make(chan int, 1)
		go func() { ended <- run.Prompt(t.Context(), key("guest"), in, io.Discard, &complaints) }()
		<-time.After(50 * time.Second)
		if _, err := io.WriteString(keyboard, "\n"); err != nil {
			t.Fatal(err)
		}
		if code := <-ended; code != Refused || !strings.Contains(complaints.String(), "away for long") {
			t.Errorf("status %d, %q", code, complaints.String())
		}
		if took := time.Since(began); took != 110*time.Second {
			t.Errorf("it ended after %v, want a minute after the last line", took)
		}
	})
}

// TestPromptSaysThatTheClubCloses, once.
func TestPromptSaysThatTheClubCloses(t *testing.T) {
	h := newHouse(t)
	code := h.object("ana", "new 4mation --json")["code"].(string)
	const words = "The club is closing for a moment."
	for _, following := range []bool{false, true} {
		ctx, closeClub := context.WithCancelCause(t.Context())
		in, keyboard := io.Pipe()
		out, screen := io.Pipe()
		var complaints bytes.Buffer
		ended := make(chan int, 1)
		go func() {
			ended <- h.run.Prompt(ctx, key("guest"), in, screen, &complaints)
			screen.Close()
		}()
		line := "whoami\n"
		if following {
			line = "watch " + code + " --json\n"
		}
		if _, err := io.WriteString(keyboard, line); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1<<16)); err != nil {
			t.Fatal(err)
		}
		closeClub(errors.New("going down"))
		go io.Copy(io.Discard, out) // until screen is closed
		if status := <-ended; status != Refused || strings.Count(complaints.String(), words) != 1 {
			t.Errorf("following %v: status %d, %q", following, status, complaints.String())
		}
	}
}
