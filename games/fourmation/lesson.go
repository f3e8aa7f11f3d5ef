package fourmation

import "ludoteca/games"

var _ games.Taught = game{}

// Lesson teaches where a piece may go, lines, draws, and how the reply can be forced.
func (game) Lesson() []games.LessonStep { return lesson }

var lesson = []games.LessonStep{
	{
		Title: "The first piece",
		Position: "last=- turn=X " +
			"......./" +
			"......./" +
			"......./" +
			"......./" +
			"......./" +
			"......./" +
			".......",
		Task:  "The first piece may go anywhere. Place yours on d4, in the middle.",
		Right: []games.Move{"d4"},
		Shown: "Pieces never move again. From now on each piece must touch the one that was placed just before.",
		Else:  "You may place it there, but place this one on d4.",
		Reply: "e5",
	},
	{
		Title: "Touch the last piece",
		Position: "last=e5 turn=X " +
			"......./" +
			"......./" +
			"....O../" +
			"...X.../" +
			"......./" +
			"......./" +
			".......",
		Task:  "Your opponent answered on e5. Your piece must touch that one, at a side or a corner. Choose a cell that touches your own d4 too.",
		Right: []games.Move{"d5", "e4"},
		Shown: "Only the last piece of the other side counts: a cell beside d4 alone was closed to you.",
		Else:  "That touches e5, as it must, but not d4.",
	},
	{
		Title: "Four in a line",
		Position: "last=d4 turn=X " +
			"......./" +
			"......./" +
			"......./" +
			".OOO.../" +
			".XX.X../" +
			"......./" +
			".......",
		Task:  "Four in a line win: in a row, in a column or on a diagonal. Complete a line.",
		Right: []games.Move{"d3"},
		Shown: "b3 to e3 are yours. It doesn't matter in which order they were placed.",
		Else:  "That completes nothing. Row 3 lacks a single piece.",
	},
	{
		Title: "Diagonals count",
		Position: "last=e5 turn=X " +
			"......./" +
			"......./" +
			"....O../" +
			"......./" +
			"..X..../" +
			".X...../" +
			"XO....O",
		Task:  "Complete your line on the diagonal.",
		Right: []games.Move{"d4"},
		Shown: "a1, b2, c3 and d4 are a line of four.",
		Else:  "The diagonal that begins with a1 lacks one piece.",
	},
	{
		Title: "Keep them away",
		Position: "last=e6 turn=X " +
			"....XX./" +
			"....OOO/" +
			"......./" +
			"......./" +
			"......./" +
			"......./" +
			"X......",
		Task:  "An enemy piece on d6 would complete a line of four. Place yours so that none can be placed there.",
		Right: []games.Move{"d6", "f5"},
		Shown: "You can take the cell yourself, or lead your opponent away: what touches f5 isn't d6.",
		Else:  "Your piece touches d6. The next one is placed there, and you lose.",
	},
	{
		Title: "No reply is a draw",
		Position: "last=b2 turn=X " +
			"......X/" +
			"......./" +
			"......./" +
			"......./" +
			"......./" +
			"XO...../" +
			".O.....",
		Task:  "If no cell beside the last piece is empty, the game is a draw at once. End this one in a draw.",
		Right: []games.Move{"a1"},
		Shown: "All three neighbours of a1 are taken, so nothing can be placed. The rest of the board doesn't matter.",
		Else:  "There is an empty cell beside that one. Look for one with no empty neighbour.",
	},
	{
		Title: "The line comes first",
		Position: "last=g6 turn=X " +
			".XOXXX./" +
			"...O.OO/" +
			"......./" +
			"......./" +
			"......./" +
			"......./" +
			".......",
		Task:  "Place a piece that leaves no reply, and look who has won.",
		Right: []games.Move{"g7"},
		Shown: "No cell is left, but d7 to g7 are a line of four: you win. A line counts before a draw.",
		Else:  "That leaves a reply, and the corner is still free.",
	},
	{
		Title: "Open at both ends",
		Position: "last=c3 turn=X " +
			"......./" +
			"......./" +
			"..O..../" +
			".X.X.../" +
			"..O..../" +
			"......./" +
			".......",
		Task:  "Make a line of three of which both ends are empty.",
		Right: []games.Move{"c4"},
		Shown: "The reply fills one end at most. And each cell that touches c4 touches an end as well, so you will reach the other.",
		Else:  "That isn't a line of three. b4 and d4 have a gap between them.",
		Reply: "d5",
	},
	{
		Title: "Take the win",
		Position: "last=d5 turn=X " +
			"......./" +
			"......./" +
			"..OO.../" +
			".XXX.../" +
			"..O..../" +
			"......./" +
			".......",
		Task:  "Your opponent had to touch c4 and chose d5. Which end of your line can you reach from there? Win.",
		Right: []games.Move{"e4"},
		Shown: "b4 to e4 are a line of four. Look where your piece lets the other side go, then where that lets you go: that is 4Mation.",
		Else:  "That doesn't complete row 4. e4 touches d5.",
	},
}
