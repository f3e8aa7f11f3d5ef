package command

import "ludoteca/sshapp/command/tree"

//go:generate go run ./gendocs ../../docs

// Docs returns the pages about all commands by the names of their files, as they stand in docs.
func Docs() map[string]string {
	all := table()
	return map[string]string{"commands.md": tree.Markdown(all), "ludoteca-commands.7": tree.Man(all)}
}
