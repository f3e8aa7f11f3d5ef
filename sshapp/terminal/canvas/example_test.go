package canvas_test

import (
	"fmt"

	uv "github.com/charmbracelet/ultraviolet"

	"ludoteca/sshapp/terminal/canvas"
)

// A scoreboard is a screen with a title and a few rows.
type scoreboard struct {
	title, accent canvas.Style
	rows          []string
}

func (s scoreboard) Draw(c *canvas.Canvas, area canvas.Rect) {
	c = c.Sub(area) // nothing below is drawn outside
	x := c.Text(area.Min.X, area.Min.Y, s.title, "Scores")
	c.Text(x+1, area.Min.Y, canvas.Style{}, "today")
	for i, row := range s.rows {
		c.Text(area.Min.X+1, area.Min.Y+1+i, canvas.Style{}, row)
	}
	c.Restyle(canvas.Area(area.Min.X, area.Min.Y+1, area.Dx(), 1), s.accent) // the first row is chosen
}

// A screen draws on the area that it is given; what has no room is cut.
func Example() {
	s := scoreboard{
		title:  canvas.Style{Attrs: canvas.Bold},
		accent: canvas.Style{Fg: canvas.RGB(111, 194, 174), Attrs: canvas.Reverse},
		rows:   []string{"ana  12", "rui  11", "Zoë  漢字", "mia  9"},
	}
	c := canvas.New(20, 5)
	s.Draw(c, canvas.Area(2, 1, 8, 4))
	uv.NewStyledString("a \x1b[1mbox\x1b[m").Draw(c.Sub(canvas.Area(11, 2, 9, 1)), canvas.Area(11, 2, 9, 1))
	fmt.Println(c.Plain())
	// Output:
	//
	//   Scores t
	//    ana  12 a box
	//    rui  11
	//    Zoë  漢
}
