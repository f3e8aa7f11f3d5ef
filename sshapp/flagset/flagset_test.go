package flagset

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// some returns flags of each kind.
func some() *pflag.FlagSet {
	flags := pflag.NewFlagSet("some", pflag.ContinueOnError)
	size := Size(64 << 20)
	Add(flags, "First", func(f *pflag.FlagSet) {
		f.String("name", "", "`NAME` of the thing, which is told at some length so that there must be a second line")
		f.Var(&size, "room", "room for the thing")
		f.StringSlice("of", nil, "owner of the thing")
	})
	AddLimits(flags, "Second", func(f *pflag.FlagSet) {
		f.Int("most", 5, "things at once")
		f.Duration("wait", 90*time.Minute, "time to wait")
		f.Bool("strict", false, "wait in any case")
	})
	Add(flags, "First", func(f *pflag.FlagSet) { f.String("path", "a b$", "path of the thing") })
	AddHere(flags, "Third", func(f *pflag.FlagSet) { f.Bool("now", false, "do it now") })
	Retire(flags, "old", "nothing")
	return flags
}

func TestHelp(t *testing.T) {
	var page strings.Builder
	Help(&page, some())
	const want = `
First:
  --name NAME
      NAME of the thing, which is told at some length so that there must be a
      second line (LUDOTECA_NAME)
  --room SIZE
      room for the thing (default 64MiB; LUDOTECA_ROOM)
  --of LIST
      owner of the thing (LUDOTECA_OF)
  --path TEXT
      path of the thing (default a b$; LUDOTECA_PATH)

Second:
  --most N
      things at once (default 5; LUDOTECA_MOST)
  --wait TIME
      time to wait (default 1h30m; LUDOTECA_WAIT)
  --strict
      wait in any case (LUDOTECA_STRICT)

Third:
  --now
      do it now
`
	if page.String() != want {
		t.Errorf("help is\n%s\nwant\n%s", page.String(), want)
	}
}

func TestWriteEnvironment(t *testing.T) {
	flags := some()
	if err := flags.Parse([]string{"--of=a", "--of=b", "--room=3k", "--path=c d", "--old=x", "--now"}); err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	WriteEnvironment(&file, flags)
	var got []string
	for line := range strings.Lines(file.String()) {
		if strings.Contains(line, "=") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{"#LUDOTECA_NAME=", "LUDOTECA_ROOM=3KiB", "LUDOTECA_OF=a,b", `LUDOTECA_PATH="c d"`, "#LUDOTECA_MOST=5", "#LUDOTECA_WAIT=1h30m", "#LUDOTECA_STRICT=false"}
	if !slices.Equal(got, want) {
		t.Errorf("the file has %q, want %q", got, want)
	}
}

func TestFromEnvironment(t *testing.T) {
	flags := some()
	if err := flags.Parse([]string{"--most=6"}); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"LUDOTECA_MOST": "7", "LUDOTECA_WAIT": "", "LUDOTECA_ROOM": "1g", "LUDOTECA_NOW": "true", "LUDOTECA_OLD": "x"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	if err := FromEnvironment(flags, lookup); err != nil {
		t.Fatal(err)
	}
	var got []string
	flags.Visit(func(f *pflag.Flag) { got = append(got, f.Name+"="+f.Value.String()) })
	if want := []string{"most=6", "room=1GiB", "old=x"}; !slices.Equal(got, want) {
		t.Errorf("set are %q, want %q", got, want)
	}
	env["LUDOTECA_STRICT"] = "perhaps"
	if err := FromEnvironment(flags, lookup); err == nil || !strings.HasPrefix(err.Error(), `LUDOTECA_STRICT="perhaps": `) {
		t.Errorf("a wrong value: %v", err)
	}
}

func TestNotPositive(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--room=0", ""}, {"--strict=false", ""}, {"--most=0", "most"}, {"--most=-1", "most"}, {"--wait=0", "wait"}, {"--wait=-1s", "wait"},
	} {
		flags := some()
		if err := flags.Parse([]string{tt.args}); err != nil {
			t.Fatal(err)
		}
		if got := NotPositive(flags); got != tt.want {
			t.Errorf("%s: %q must be more than 0, want %q", tt.args, got, tt.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1536: "1.5 KiB", 64 << 20: "64.0 MiB", 5 << 30: "5.0 GiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}

func TestParagraphs(t *testing.T) {
	const text = "one two three four\nfive:\n    code that is as it is\nsix\n\nseven eight nine ten"
	const want = "one two\nthree four\nfive:\n    code that is as it is\nsix\n\nseven\neight nine\nten"
	if got := Paragraphs(text, 10); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
