package command

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/studies"
)

const fromElsewhere = "[Game \"fourmation\"]\n[First \"Zé\u202e\"]\n[Second \"李\"]\n\n1. a1 b2 2. c3 d4 1-0\n"

// sends runs a command line of a caller who sends input after it.
func (h *fixture) sends(name, line string, input io.Reader) (status int, out, complaints string) {
	who := key(name)
	if input != nil {
		who.Receive = func(ctx context.Context, p []byte) (int, error) {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			return input.Read(p)
		}
	}
	var o, c bytes.Buffer
	status = h.run.Run(h.t.Context(), who, line, &o, &c)
	return status, o.String(), c.String()
}

// TestImport: a record from standard input becomes a study, which its player alone lists, reads, exports and removes.
func TestImport(t *testing.T) {
	h := newFixture(t)
	h.as("ana", Done, "name ana")
	h.as("rui", Done, "name rui")
	status, out, complaints := h.sends("ana", "import", strings.NewReader(fromElsewhere))
	id := strings.TrimSuffix(out, "\n")
	if status != Done || len(id) != 8 {
		t.Fatalf("status %d: %q, %q", status, out, complaints)
	}
	text := strings.Replace(fromElsewhere, "\u202e", "", 1)
	for _, line := range []string{"record " + id, "record " + strings.ToUpper(id)} {
		if got, _ := h.as("ana", Done, line); got != text {
			t.Errorf("%s prints %q, want %q", line, got, text)
		}
		for _, other := range []string{"rui", "guest"} {
			h.as(other, Refused, line)
		}
	}
	if got := h.object("ana", "record "+id+" --json"); got["text"] != text || got["game"] != "fourmation" || got["first"] != "Zé" || got["result"] != "first" || len(got["moves"].([]any)) != 4 {
		t.Errorf("for scripts %v", got)
	}
	if got, _ := h.as("ana", Done, "import --list"); !strings.HasPrefix(got, id) || !strings.Contains(got, "Zé - 李") || !strings.Contains(got, "4 moves") {
		t.Errorf("listed as %q", got)
	}
	if got := h.object("ana", "import --list --json"); got["id"] != id || got["plies"] != 4.0 || got["result"] != "1-0" {
		t.Errorf("listed for scripts as %v", got)
	}
	if got, _ := h.as("ana", Done, "export"); !strings.Contains(got, `"type":"study","id":"`+id+`"`) || !strings.Contains(got, `1. a1 b2 2. c3 d4 1-0\n`) {
		t.Errorf("exported %q", got)
	}
	if got, _ := h.as("rui", Done, "import --list"); !strings.HasPrefix(got, "You have no studies.") {
		t.Errorf("another player has %q", got)
	}
	h.as("rui", Refused, "import --remove "+id)
	h.as("ana", Done, "import --remove "+id)
	h.as("ana", Refused, "record "+id)
	h.as("ana", Refused, "import --remove "+id)
}

// TestImportRefuses: what is no record is refused with its line and column, and nothing is kept.
func TestImportRefuses(t *testing.T) {
	h := newFixture(t)
	h.as("ana", Done, "name ana")
	for _, tt := range []struct {
		caller, line, input, want string
		status                    int
	}{
		{"ana", "import", strings.Replace(fromElsewhere, "c3", "z9", 1), "Line 5, column 13: z9: outside the board", Refused},
		{"ana", "import --json", strings.Replace(fromElsewhere, "c3", "z9", 1), `"code":"illegal"`, Refused},
		{"ana", "import", "hello\x1b[2J\n", "Line 1, column 1:", Refused},
		{"guest", "import", fromElsewhere, "key", Refused},
		{"noa", "import", fromElsewhere, "Take a name", Refused},
		{"ana", "import --list --remove x", "", "Either --list or --remove.", Usage},
	} {
		status, out, complaints := h.sends(tt.caller, tt.line, strings.NewReader(tt.input))
		if said := out + complaints; status != tt.status || !strings.Contains(said, tt.want) || strings.Contains(said, "\x1b") {
			t.Errorf("%s: %s: status %d, %q, want %q", tt.caller, tt.line, status, said, tt.want)
		}
	}
	if got, _ := h.as("ana", Done, "import --list"); !strings.HasPrefix(got, "You have no studies.") {
		t.Errorf("kept %q", got)
	}
	if status, _, complaints := h.sends("ana", "import", nil); status != Refused || !strings.Contains(complaints, "import < record.txt") {
		t.Errorf("without input: %d, %q", status, complaints)
	}
	long := newFixture(t)
	long.as("ana", Done, "name ana")
	endless := &endlessInput{}
	if status, _, complaints := long.sends("ana", "import", endless); status != Refused || !strings.Contains(complaints, "64 KiB") || endless.read > studies.MaxText+1<<13 {
		t.Errorf("endless input: %d, %q after %d bytes", status, complaints, endless.read)
	}
}

// An endlessInput is text without an end.
type endlessInput struct{ read int }

func (e *endlessInput) Read(p []byte) (int, error) {
	e.read += len(p)
	return copy(p, bytes.Repeat([]byte("\n"), len(p))), nil
}

// TestImportWaitsForInput: a client that sends nothing more is refused after half a minute, and holds up no other command meanwhile.
func TestImportWaitsForInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		h.as("ana", Done, "name ana")
		who := key("ana")
		who.Receive = func(ctx context.Context, p []byte) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}
		began := time.Now()
		var complaints bytes.Buffer
		ended := make(chan int)
		go func() { ended <- h.run.Run(t.Context(), who, "import", io.Discard, &complaints) }()
		synctest.Wait()
		if s := h.run.gate.State(); s.Heavy+s.Steps+s.Queued > 0 {
			t.Errorf("it holds %+v", s)
		}
		h.as("ana", Done, "whoami")
		if status := <-ended; status != Refused || !strings.Contains(complaints.String(), "30 seconds") || time.Since(began) != 30*time.Second {
			t.Errorf("status %d after %v: %q", status, time.Since(began), complaints.String())
		}
	})
}
