package main

// The cells that lists and forms have for what games bring along, as games.About and games.Option promise it.
const (
	briefCells = 38
	sideCells  = 24
	labelCells = 23 // a column of 24, with a space behind
	helpCells  = 60
	titleCells = 36
)

// room holds the words of the screens that stand in columns or in lines of forty cells, with their room. A verb counts
// as it is written: two cells, as much as most numbers take.
var room = map[string]int{
	// The menu of the lobby, left of the lists.
	"Play the computer": 27, "Quick match": 27, "New match...": 27, "Join by code...": 27, "Two at this keyboard": 27,
	"Leaderboard": 27, "Watch a match": 27, "History": 27, "Learn the games": 27, "Settings": 27,
	// The lists beside it.
	"none: a new match of yours would be the first": 46, "seat free": 9, "your move": 9, "waiting": 9, "rematch?": 9,
	"rated": 10, "casual": 10, "move %d": 8, "%d d %d h": 9,
	// The tables of players and of finished matches.
	"rank": 4, "name": 20, "rating": 7, "played": 6, "won": 5, "drawn": 5, "lost": 5, "draw": 8, "void": 8, "win": 8, "loss": 8, "1 move": 11,
	// Forms.
	"Your name": 22, "Language": 22, "Opponent": 22, "Game": 22, "Computer player": 22, "First player": 22,
	"Second player": 22, "You play": 22, "The match is": 22, "Open to": 22, "Colours": 22, "Characters": 22, "Bell": 22,
	// What stands below a player's name, beside the widest boards.
	"captures %d of %d": 18, "linked %d of %d": 22, "longest chain %d of %d": 22, "in hand %d": 10,
	// The last line but one in a window of forty cells.
	"Your move: arrows, enter, or type it.": 38, "Left and right turn it, enter plays.": 38,
	"Enter goes on to the next step.": 38, "Enter shows the reply and goes on.": 38, "Done. Enter begins a match.": 38,
	"Choose where it goes, esc lets go.": 38, "Move %d of %d.": 38,
	// Notes of one line and refusals of three beside a board in such a window.
	"You may swap: take the first marble.": 36,
	"There is nothing to claim here: your opponent has not gone, a side has not moved, or only the clock counts.": 3 * 36,
	"This match is too short to be kept: it is gone an hour after its end.":                                       3*36 - 12,
	// What a friend needs, in such a window.
	"Tell your friend the code": 36,
	// The first column of the pages of keys.
	"arrows": 13, "arrows, hjkl": 13, "arrows enter": 13, "left right": 13, "up down": 13, "letters": 13, "digits": 13,
	// One line of the smallest window.
	"A bit more room, please: %dx%d.": 36,
}
