package flagset

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// WriteEnvironment writes an environment file for systemd or a container: each variable with what it does and its value. A variable whose flag
// has its default is in a comment.
func WriteEnvironment(w io.Writer, flags *pflag.FlagSet) {
	eachGroup(flags, func(title string, all []*pflag.Flag) {
		heading := fmt.Sprintf("\n##  %s\n", title)
		for _, f := range all {
			name := Variable(f)
			if name == "" {
				continue
			}
			fmt.Fprint(w, heading)
			heading = ""
			_, words := pflag.UnquoteUsage(f)
			fmt.Fprintln(w)
			for _, line := range Wrap(words, Width-2) {
				fmt.Fprintln(w, "# "+line)
			}
			comment := "#"
			if f.Changed {
				comment = ""
			}
			fmt.Fprintf(w, "%s%s=%s\n", comment, name, quoted(plain(f.Value)))
		}
	})
}

// plain returns a value as the variable of its flag takes it.
func plain(v pflag.Value) string {
	if list, ok := v.(pflag.SliceValue); ok {
		return strings.Join(list.GetSlice(), ",")
	}
	if v.Type() == "duration" {
		return ShortTime(v.String())
	}
	return v.String()
}

// quoted quotes a value for an environment file where it must be.
func quoted(value string) string {
	if !strings.ContainsAny(value, " \t\"'\\$#") {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(value) + `"`
}
