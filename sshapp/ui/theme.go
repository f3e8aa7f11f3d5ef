package ui

import "ludoteca/sshapp/ui/widget"

// Theme returns the theme that the session has now.
func (a *App) Theme() *widget.Theme { return a.env.Theme }
