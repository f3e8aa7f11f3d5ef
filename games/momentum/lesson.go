package momentum

import "ludoteca/games"

var _ games.Taught = game{}

// Lesson teaches pushes, the rim, the forced drop, and how a game is won.
func (game) Lesson() []games.LessonStep { return lesson }

var lesson = []games.LessonStep{
	{
		Title: "The first marble",
		Position: "ply=0 turn=X " +
			"......./" +
			"......./" +
			"......./" +
			"......./" +
			"......./" +
			"......./" +
			".......",
		Task:  "A turn is one marble on an empty cell. Drop your first one on d4, in the middle.",
		Right: []games.Move{"d4"},
		Shown: "Nothing lies beside it, so nothing moves. The first to have all 8 marbles on the board at the end of their own turn wins.",
		Else:  "You may drop there, but drop this one on d4.",
		Reply: "e4",
	},
	{
		Title: "Push a neighbour",
		Position: "ply=2 turn=X " +
			"......./" +
			"......./" +
			"......./" +
			"..X.O../" +
			"......./" +
			"......./" +
			".......",
		Task:  "Your opponent dropped on e4, which pushed your marble from d4 to c4. Push back: drop beside e4, straight or diagonally.",
		Right: []games.Move{"d3", "d4", "d5", "e3", "e5", "f3", "f4", "f5"},
		Shown: "A neighbour moves one cell straight away from the drop, in a row, a column or a diagonal. It doesn't matter whose marble it is.",
		Else:  "That cell doesn't touch e4. Only what lies right beside the drop is pushed.",
	},
	{
		Title: "Only the last one moves",
		Position: "ply=6 turn=X " +
			"......./" +
			"......./" +
			"......./" +
			"...OXO./" +
			"......./" +
			".X..O../" +
			"..X....",
		Task:  "In an unbroken line only the last marble moves. Push f4 to g4, and leave d4 and e4 where they are.",
		Right: []games.Move{"c4"},
		Shown: "c4 touches the line of d4, e4 and f4. The push goes through, and only its last marble moves.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"g4"}, Words: "From there the push goes the other way: d4 moves to c4."},
		},
		Else: "That doesn't push f4 to g4. Drop at the other end of the line.",
	},
	{
		Title: "A gap ends the line",
		Position: "ply=4 turn=X " +
			"......./" +
			".O...../" +
			"......./" +
			"...X.O./" +
			"......./" +
			"......./" +
			"....X..",
		Task:  "Bring your marble from d4 to e4, beside f4.",
		Right: []games.Move{"c4"},
		Shown: "The line from c4 ended at the gap, so f4 wasn't pushed. And a marble that is pushed pushes nothing itself.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"e4"}, Words: "Now your new marble is on e4, but it pushed d4 and f4 away."},
		},
		Else: "That doesn't bring d4 to e4. To push it to the right, drop on its left.",
	},
	{
		Title: "Over the rim",
		Position: "ply=4 turn=X " +
			"......./" +
			".O...../" +
			"...X..O/" +
			"......./" +
			"..X..../" +
			"......./" +
			".......",
		Task:  "A marble that is pushed over the rim goes back to its owner's hand. Push g5 off the board.",
		Right: []games.Move{"f4", "f5", "f6"},
		Shown: "Your opponent has it in hand again and must drop it once more. On the rim marbles are in danger.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"g4", "g6"}, Words: "That pushes it along the rim, not over it."},
		},
		Else: "g5 is still there. Drop beside it, on the side of the middle.",
	},
	{
		Title: "Keep your own",
		Position: "ply=6 turn=X " +
			".X.O.X./" +
			"......./" +
			"......./" +
			".....O./" +
			"..X..../" +
			"....O../" +
			".......",
		Task:  "Pushes hit your own marbles as well. Push d7 off the board without losing one of yours.",
		Right: []games.Move{"d6"},
		Shown: "From d6 only d7 was in reach, and it fell.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"c6"}, Words: "d7 falls, but so does your own marble on b7: c6 touches both."},
			{Moves: []games.Move{"e6"}, Words: "d7 falls, but so does your own marble on f7: e6 touches both."},
		},
		Else: "d7 doesn't fall. It must be pushed up, over the top rim.",
	},
	{
		Title: "Eight directions",
		Position: "ply=6 turn=X " +
			"O....../" +
			"O....../" +
			"O...X../" +
			"......./" +
			"...X.../" +
			"......./" +
			".....X.",
		Task:  "A drop pushes in all eight directions at once. Push three enemy marbles off the board.",
		Right: []games.Move{"b6"},
		Shown: "a7, a6 and a5 fell, all by one drop. Marbles that huddle on the rim can fall together.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"b5", "b7"}, Words: "Two fall, and the third stays. One cell touches all three."},
		},
		Else: "Look for the cell that touches a7, a6 and a5.",
	},
	{
		Title: "A forced push",
		Position: "ply=16 turn=X " +
			".O...../" +
			"X....X./" +
			"...O.../" +
			"..O..OX/" +
			".O..O../" +
			"X.O...X/" +
			"X......",
		Task:  "The enemy has one marble left in hand and wins with it. Then you must push an enemy marble off if you can. Find the better drop.",
		Right: []games.Move{"c6"},
		Shown: "b7 fell, so the enemy has two in hand again. As long as such a push exists, no other drop is legal.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"b6"}, Words: "b7 falls, but so does your own marble on a6."},
		},
	},
	{
		Title: "The last marble",
		Position: "ply=14 turn=X " +
			"......./" +
			"X.O.X../" +
			".....X./" +
			"X.X.X../" +
			".O...O./" +
			"....X../" +
			".......",
		Task: "You have one marble left. Place it so that all 8 stay on the board, and you win.",
		Right: []games.Move{
			"a1", "a2", "a3", "a5", "a7", "b1", "b2", "c1", "c3", "c5", "c7", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "e1", "e3", "e5", "e7",
			"f1", "f2", "f4", "f6", "f7", "g1", "g2", "g3", "g4", "g5", "g6", "g7",
		},
		Shown: "All 8 are on the board after the pushes: you win.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"c2"}, Words: "The diagonal from c2 ends at a4, and your own marble there falls. That isn't a win yet."},
		},
		Else: "One of your own marbles falls, so that isn't a win yet. They are counted after the pushes.",
	},
	{
		Title: "Swap",
		Position: "ply=1 turn=O " +
			"......./" +
			"......./" +
			"......./" +
			"...X.../" +
			"......./" +
			"......./" +
			".......",
		Task:  "You are second now, and the first marble took the best cell. In your first turn, and only then, you may take it over. Type swap.",
		Right: []games.Move{"swap"},
		Shown: "The marble on d4 is yours, and the other side has 8 in hand again. So nobody gains from a first move that is too good.",
		Else:  "That is an ordinary drop. To take the marble on d4 over, type swap.",
	},
}
