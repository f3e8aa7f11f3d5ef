package tanks

import "ludoteca/games"

var _ games.Taught = game{}

// Lesson teaches moves, what each kind of tank captures, the two ways to win, and how to break through.
func (game) Lesson() []games.LessonStep { return lesson }

var lesson = []games.LessonStep{
	{
		Title: "Only forward",
		Position: "turn=bot " +
			"mddttddm/" +
			"mmmmmmmm/" +
			"......../" +
			"......../" +
			"......../" +
			"......../" +
			"MMMMMMMM/" +
			"MDDTTDDM",
		Task:  "Your tanks have capital letters and go up. Each goes one cell forward, straight or diagonally. Move the one on e2.",
		Right: []games.Move{"e2-d3", "e2-e3", "e2-f3"},
		Shown: "All three kinds move like that. None ever goes sideways or back, and none passes.",
		Else:  "That is a move, but move the tank on e2.",
	},
	{
		Title: "The medium tank",
		Position: "turn=bot " +
			"......../" +
			".......m/" +
			"..t.t.../" +
			"...tdm../" +
			"....M.../" +
			"......../" +
			"......../" +
			"........",
		Task:  "The medium tank M captures what stands one cell in front of it, also diagonally. Capture a heavy tank, t.",
		Right: []games.Move{"e4xd5"},
		Shown: "It moved to where its victim stood. The other two heavy tanks, two cells away, were out of its reach.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"e4xe5"}, Words: "That is the destroyer, d."},
			{Moves: []games.Move{"e4xf5"}, Words: "That is a medium tank, m."},
		},
	},
	{
		Title: "The heavy tank",
		Position: "turn=bot " +
			"......../" +
			".......m/" +
			"..m.m.m./" +
			"...mdt../" +
			"....T.../" +
			"......../" +
			"......../" +
			"........",
		Task:  "The heavy tank T also captures two cells away, straight or diagonally, over whatever stands between. Capture g6.",
		Right: []games.Move{"e4xg6"},
		Shown: "f5 stood between and didn't stop it. Two cells are for captures only: no tank moves that far to an empty cell.",
		Else:  "That is a capture, but of another tank.",
	},
	{
		Title: "The destroyer",
		Position: "turn=bot " +
			"......../" +
			".......m/" +
			"....m.../" +
			"...m.m../" +
			"....D.../" +
			"......../" +
			"......../" +
			"........",
		Task:  "The destroyer D captures straight ahead only, one or two cells away. Capture a tank.",
		Right: []games.Move{"e4xe6"},
		Shown: "d5 and f5 were nearer, but diagonally it never captures. It may move diagonally.",
		Else:  "That is a move, and nothing is captured.",
	},
	{
		Title: "A safe capture",
		Position: "turn=bot " +
			".......m/" +
			"......../" +
			".....m../" +
			"..m.m.../" +
			"...M..../" +
			"......../" +
			"M......./" +
			"........",
		Task:  "You need not capture. Before you do, look what can capture there. Capture a tank so that yours is safe afterwards.",
		Right: []games.Move{"d4xc5"},
		Shown: "No enemy reaches c5. On e5 the tank on f6 would have captured yours.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"d4xe5"}, Words: "The tank on f6 captures yours on e5."},
		},
		Else: "Nothing is captured.",
	},
	{
		Title: "The far row",
		Position: "turn=bot " +
			"..d..m../" +
			".M....../" +
			".....D../" +
			"......../" +
			"......../" +
			"....m.../" +
			"......../" +
			"T.......",
		Task:  "A tank on the far row wins at once, by a move or by a capture. Win now.",
		Right: []games.Move{"b7-a8", "b7-b8", "b7xc8", "f6xf8"},
		Shown: "There were four ways: three by the medium tank, and one by the destroyer, two cells straight ahead.",
		Else:  "The game goes on. Two of your tanks can reach row 8 now.",
	},
	{
		Title: "Stop a breakthrough",
		Position: "turn=bot " +
			"m......m/" +
			"......../" +
			"......../" +
			"......../" +
			"......../" +
			"..M...../" +
			"...m..../" +
			"..D.M...",
		Task:  "The enemy on d2 reaches row 1, your home row, with its next move. Stop it.",
		Right: []games.Move{"e1xd2"},
		Shown: "Only a capture stops a tank, and tanks don't capture backwards. Keep some of yours at home.",
		Else:  "The enemy moves to row 1 and wins. Which of your tanks can capture d2?",
	},
	{
		Title: "Find the gap",
		Position: "turn=bot " +
			"..d..m../" +
			"......../" +
			"...M..../" +
			"......../" +
			"......../" +
			"......../" +
			"M......./" +
			"........",
		Task:  "You need two moves to row 8. Go to the cell where nothing can capture you, and nothing will stop the second move.",
		Right: []games.Move{"d6-d7"},
		Shown: "The destroyer on c8 captures only in column c, and the medium tank on f8 only one cell away. Next you win.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"d6-c7"}, Words: "The destroyer on c8 captures straight ahead, and c7 is in its column."},
			{Moves: []games.Move{"d6-e7"}, Words: "The medium tank on f8 captures diagonally, and e7 is in its reach."},
		},
		Else: "That is slow: an enemy can stand in the way now.",
	},
	{
		Title: "The last tank",
		Position: "turn=bot " +
			"......../" +
			"......../" +
			"...d..../" +
			"...T..../" +
			"......../" +
			"......../" +
			"......../" +
			"M.......",
		Task:  "There is a second way to win: leave the other side without tanks. Win now.",
		Right: []games.Move{"d5xd6"},
		Shown: "No enemy is left: you win. There are no draws in this game.",
		Else:  "There is still an enemy.",
	},
}
