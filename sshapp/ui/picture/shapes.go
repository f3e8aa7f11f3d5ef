package picture

import (
	"fmt"
	"strings"

	"ludoteca/sshapp/terminal/canvas"
)

// The arms of the lines of a board, from the middle of a cell.
const (
	up = 1 << iota
	down
	toLeft
	toRight
)

// lines maps the characters that boards are drawn with to their arms.
var lines = map[rune]int{
	'─': toLeft | toRight, '│': up | down, '┌': down | toRight, '┐': down | toLeft, '└': up | toRight, '┘': up | toLeft,
	'├': up | down | toRight, '┤': up | down | toLeft, '┬': down | toLeft | toRight, '┴': up | toLeft | toRight, '┼': up | down | toLeft | toRight,
}

// isShape reports whether a character is drawn as a shape: lines, blocks, stones and the dots of empty cells.
func isShape(r rune) bool {
	return lines[r] != 0 || '▁' <= r && r <= '█' || strings.ContainsRune("●○·■□╱╲", r)
}

// drawLines returns the path of the lines in a cell.
func drawLines(r rune, x, y int) (path string) {
	x0, y0 := left(x), top(y)
	middle, centre := x0+cellWidth/2, y0+cellHeight/2
	switch arms := lines[r]; arms {
	case toLeft | toRight:
		return fmt.Sprintf("M%s %sH%s", number(x0), number(centre), number(x0+cellWidth))
	case up | down:
		return fmt.Sprintf("M%s %sV%s", number(middle), number(y0), number(y0+cellHeight))
	default:
		for _, arm := range [...]struct {
			bit  int
			x, y float64
		}{{up, middle, y0}, {down, middle, y0 + cellHeight}, {toLeft, x0, centre}, {toRight, x0 + cellWidth, centre}} {
			if arms&arm.bit != 0 {
				path += fmt.Sprintf("M%s %sL%s %s", number(middle), number(centre), number(arm.x), number(arm.y))
			}
		}
		return path
	}
}

// drawShape returns the character of a cell, which is a shape.
func drawShape(cell canvas.Cell, x, y int, colours Colours) string {
	x0, y0 := left(x), top(y)
	middle, centre := x0+cellWidth/2, y0+cellHeight/2
	r, fill := cell.Rune(), colour(cell.Style(), colours)
	square := func(x, y, side float64, how string) string {
		return fmt.Sprintf(`<rect x="%s" y="%s" width="%s" height="%s" %s/>`, number(x), number(y), number(side), number(side), how)
	}
	circle := func(radius float64, how string) string {
		return fmt.Sprintf(`<circle cx="%s" cy="%s" r="%s" %s/>`, number(middle), number(centre), number(radius), how)
	}
	filled, drawn := fmt.Sprintf(`fill="%s"`, fill), fmt.Sprintf(`fill="none" stroke="%s"`, fill)
	switch r {
	case '●':
		return circle(4.1, filled)
	case '○':
		return circle(3.4, drawn+` stroke-width="1.4"`)
	case '·':
		return circle(1.2, filled)
	case '■':
		return square(middle-3, centre-3, 6, filled)
	case '□':
		return square(middle-2.5, centre-2.5, 5, drawn)
	case '╱':
		return fmt.Sprintf(`<path d="M%s %sL%s %s" stroke="%s"/>`, number(x0), number(y0+cellHeight), number(x0+cellWidth), number(y0), fill)
	case '╲':
		return fmt.Sprintf(`<path d="M%s %sL%s %s" stroke="%s"/>`, number(x0), number(y0), number(x0+cellWidth), number(y0+cellHeight), fill)
	default: // a block: some eighths of the cell, from below
		tall := cellHeight * float64(r-'▁'+1) / 8
		return fmt.Sprintf(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`, number(x0), number(y0+cellHeight-tall), number(cellWidth+0.05), number(tall), fill)
	}
}
