package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/flagset"
)

// help writes what a command does, on lines of at most flagset.Width columns.
func help(cmd *cobra.Command, _ []string) {
	var page strings.Builder
	fmt.Fprintln(&page, flagset.Paragraphs(firstOf(cmd.Long, cmd.Short), flagset.Width))
	fmt.Fprintf(&page, "\nUsage:\n%s\n", strings.Join(tree.UsageLines(cmd.UseLine(), 2), "\n"))
	if !cmd.HasParent() {
		fmt.Fprintln(&page, "  ludoteca COMMAND [flags]")
	}
	for _, group := range cmd.Groups() {
		fmt.Fprintf(&page, "\n%s:\n", group.Title)
		writeCommands(&page, cmd, group.ID)
	}
	if cmd.HasParent() && cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&page, "\n%s VERB --help lists the flags of a verb.\n", cmd.CommandPath())
	}
	if cmd.HasParent() {
		flagset.Help(&page, cmd.Flags())
	} else {
		fmt.Fprint(&page, "\nludoteca serve --help lists the flags of the club, ludoteca COMMAND --help those\nof a command, and ludoteca --version prints the version.\n")
	}
	fmt.Fprint(cmd.OutOrStdout(), page.String())
}

// writeCommands writes the commands of a group that a command has, and what each does.
func writeCommands(to *strings.Builder, cmd *cobra.Command, group string) {
	for _, c := range inOrder(cmd.Commands()) {
		if c.GroupID != group || !c.IsAvailableCommand() || c.Name() == "help" {
			continue
		}
		for i, line := range flagset.Wrap(sentence(c.Short), flagset.Width-commandColumn) {
			name := ""
			if i == 0 {
				name = c.Name()
			}
			fmt.Fprintf(to, "  %-*s%s\n", commandColumn-2, name, line)
		}
	}
}

// sentence returns words with a capital letter in front.
func sentence(words string) string {
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// orderNote is the annotation by which help orders commands, in place of their names.
const orderNote = "order"

func inOrder(commands []*cobra.Command) []*cobra.Command {
	commands = slices.Clone(commands)
	slices.SortStableFunc(commands, func(a, b *cobra.Command) int {
		return strings.Compare(a.Annotations[orderNote], b.Annotations[orderNote])
	})
	return commands
}

// commandColumn is the column at which help says what a command does.
const commandColumn = 14

func firstOf(long, short string) string {
	if long != "" {
		return long
	}
	return sentence(strings.TrimSuffix(short, ".")) + "."
}
