package uitest

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// formKeys are the keys that AnyForm presses. Enter is not among them, because it leaves the form.
var formKeys = []string{
	"up", "down", "left", "right", "space", "tab", "shift+tab", "home", "end", "pgup", "pgdown", "backspace", "delete", "ctrl+u", "0", "1", "9", "-", "a", "z", "王",
}

// AnyForm sends keys, clicks, pastes and sizes to a form, without its Cmds. It fails the test if the cursor is on none of the fields, or is not in sight in a
// window that an App shows.
func AnyForm(t *rapid.T, form screen.Screen, look func(screen.Screen) (at string, fields []widget.Field)) {
	size := tea.WindowSizeMsg{Width: 80, Height: 20}
	send := func(msg tea.Msg) { form, _ = form.Update(msg) }
	send(size)
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		switch rapid.IntRange(0, 9).Draw(t, "step") {
		case 0:
			send(tea.MouseClickMsg{X: rapid.IntRange(-1, 100).Draw(t, "x"), Y: rapid.IntRange(-1, 40).Draw(t, "y"), Button: tea.MouseLeft})
		case 1:
			send(tea.PasteMsg{Content: rapid.SampledFrom([]string{"ana", "two\nlines", strings.Repeat("long ", 30)}).Draw(t, "paste")})
		case 2:
			size = tea.WindowSizeMsg{Width: rapid.IntRange(0, 100).Draw(t, "width"), Height: rapid.IntRange(0, 40).Draw(t, "height")}
			send(size)
		default:
			for _, key := range Pressed(rapid.SampledFrom(formKeys).Draw(t, "key")) {
				send(key)
			}
		}
		at, fields := look(form)
		if !slices.ContainsFunc(fields, func(f widget.Field) bool { return f.Key == at }) {
			t.Fatalf("the cursor is on %q, which is none of the fields", at)
		}
		page := Drawn(form, size.Width, size.Height)
		if size.Width < 40 || size.Height < 17 {
			continue
		}
		if strings.Count("\n"+page, "\n >") != 1 {
			t.Fatalf("the field with the cursor is not in sight in %v:\n%s", size, page)
		}
		if x, y, shown := form.(screen.CursorProvider).Cursor(); shown && (x < 0 || x >= size.Width || y < 0 || y >= size.Height) {
			t.Fatalf("the cursor is at %d,%d in %v", x, y, size)
		}
	}
}
