package petteia

import "ludoteca/games"

var _ games.Taught = game{}

// Lesson teaches moves, captures, men between two enemies, and how to look ahead by one move.
func (game) Lesson() []games.LessonStep { return lesson }

var lesson = []games.LessonStep{
	{
		Title: "Move like a rook",
		Position: "turn=X captured=0,0 quiet=0 " +
			"OOOOOOOOOOOO/" +
			"............/" +
			"............/" +
			"............/" +
			"............/" +
			"............/" +
			"............/" +
			"XXXXXXXXXXXX",
		Task:  "Men move like rooks in chess: in a straight line, as far as the way is free. Move your man on a1 as far up as it goes.",
		Right: []games.Move{"a1-a7"},
		Shown: "It stops in front of a8. No man jumps, and none takes another by landing on it.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"a1-a2", "a1-a3", "a1-a4", "a1-a5", "a1-a6"}, Words: "The way up is free for longer than that."},
		},
		Else: "Move the man on a1, in the corner.",
	},
	{
		Title: "Close in on a man",
		Position: "turn=X captured=0,0 quiet=0 " +
			"............/" +
			"............/" +
			"..O........./" +
			"............/" +
			"...XO......./" +
			"............/" +
			"............/" +
			".....X......",
		Task:  "A man is captured when two enemies stand beside it on opposite sides. Your man on d4 is one of them. Bring the other one.",
		Right: []games.Move{"f1-f4"},
		Shown: "e4 stood between d4 and f4 and is off the board. Left and right or above and below, but never diagonally.",
		Else:  "Nothing is captured. e4 needs one of your men on each side.",
	},
	{
		Title: "Edge and corner",
		Position: "turn=X captured=0,0 quiet=0 " +
			"OX........../" +
			".......X..../" +
			"............/" +
			".....X....../" +
			"O.........../" +
			"X.........../" +
			"............/" +
			"...........O",
		Task:  "The edge captures nothing. Only one of the men on a8 and a4 can be captured. Capture it.",
		Right: []games.Move{"f5-a5"},
		Shown: "a4 stood between a3 and a5. A man in a corner never has enemies on opposite sides, so it is safe.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"h7-a7"}, Words: "b8 and a7 are not on opposite sides of a8: a man in a corner can't be captured."},
		},
		Else: "Nothing is captured. Which of the two can have your men on opposite sides?",
	},
	{
		Title: "Two protect each other",
		Position: "turn=X captured=0,0 quiet=0 " +
			"............/" +
			"............/" +
			".......XO.../" +
			"............/" +
			"..XOO......./" +
			"............/" +
			".........X../" +
			".....X......",
		Task:  "Only a single man between two enemies is captured. Capture the one that stands alone.",
		Right: []games.Move{"j2-j6"},
		Shown: "i6 stood alone between h6 and j6. Side by side, as d4 and e4 do, men protect each other.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"f1-f4"}, Words: "c4 and f4 stand around two men, and two in a line are not captured."},
		},
		Else: "Nothing is captured. Look for an enemy with no friend beside it.",
	},
	{
		Title: "Three at once",
		Position: "turn=X captured=0,0 quiet=0 " +
			"............/" +
			"............/" +
			"....X......./" +
			"....O......./" +
			"..XO.OX...../" +
			"............/" +
			"............/" +
			"O...X......O",
		Task:  "One move captures every man that it closes in on. Capture three.",
		Right: []games.Move{"e1-e4"},
		Shown: "d4, f4 and e5 each stood between e4 and another man of yours.",
		Else:  "Look for the cell beside three enemies, each with a man of yours behind it.",
	},
	{
		Title: "Between two enemies",
		Position: "turn=X captured=0,0 quiet=0 " +
			"............/" +
			"............/" +
			"............/" +
			"............/" +
			"..O.O......./" +
			"............/" +
			"............/" +
			"...X.......X",
		Task:  "You may move in between two enemies: only their own move captures. Move your man between c4 and e4.",
		Right: []games.Move{"d1-d4"},
		Shown: "Your man stays. To capture it, c4 or e4 would have to leave and come back.",
		Else:  "Move the man on d1 to d4.",
	},
	{
		Title: "Without safe entry",
		Position: "turn=X captured=0,0 quiet=0 safe_entry=0 " +
			"............/" +
			"............/" +
			"............/" +
			".......O.O../" +
			".XO.O......./" +
			"............/" +
			"............/" +
			"...X....X...",
		Task:  "Here the option Safe between enemies is off: a man that moves in is lost, unless it captures one of the two. Capture a man.",
		Right: []games.Move{"d1-d4"},
		Shown: "c4 was captured first, so d4 no longer stood between two enemies.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"i1-i5"}, Words: "Your man stands between h5 and j5, captures nothing, and is lost."},
		},
		Else: "Nothing is captured. b4 waits for a partner on the other side of c4.",
	},
	{
		Title: "See the threat",
		Position: "turn=X captured=2,2 quiet=0 " +
			"....O......./" +
			"............/" +
			".........X../" +
			"............/" +
			"..OX......../" +
			"............/" +
			"............/" +
			".O.........X",
		Task: "The enemy on e8 wants to go to e4 and capture your man on d4. Make a move after which nothing of yours can be captured.",
		Right: []games.Move{
			"d4-d1", "d4-d2", "d4-d3", "d4-d5", "d4-d6", "d4-d7", "d4-e4", "d4-f4", "d4-g4", "d4-h4", "d4-i4", "d4-j4", "d4-k4", "d4-l4", "j6-e6",
		},
		Shown: "Before each of your moves, look which of your men has an enemy beside it and a free way to the other side.",
		Else:  "One of your men is captured now. Move d4 away, or close the way from e8 to e4.",
	},
	{
		Title: "Win the game",
		Position: "turn=X captured=6,6 quiet=0 " +
			"............/" +
			"............/" +
			"............/" +
			"............/" +
			"..XO.OX...../" +
			"............/" +
			"............/" +
			"O...X......O",
		Task:  "Seven captures win, and both sides have six. It is your move: win.",
		Right: []games.Move{"e1-e4"},
		Shown: "That makes eight: you win. A hundred turns in a row without a capture, or a position that comes up for the third time, are a draw.",
		Else:  "That is no capture, and your opponent is close to a win too. One move captures two men.",
	},
}
