package flugelrad

import "ludoteca/games"

var _ games.Taught = game{}

// Lesson teaches turns, which wheels can't be turned, links, whose six win, and the lock as a defence.
func (game) Lesson() []games.LessonStep { return lesson }

var lesson = []games.LessonStep{
	{
		Title:    "Turn a wheel",
		Position: "turn=X turns=0 XO...OXOX..X..XO...OXO..OXOXOX",
		Task:     "A turn rotates one wheel by 1 to 5 steps to the left. 0:1 is wheel 0 by one step. Make that turn.",
		Right:    []games.Move{"0:1"},
		Shown:    "Everything on the wheel went along, enemy balls too. Five steps to the left are one to the right.",
		Else:     "That is a turn, but turn wheel 0 by one step: 0:1.",
		Reply:    "1:1",
	},
	{
		Title:    "Locked and empty",
		Position: "turn=X last=1 turns=2 O.X.OXOX...X..XO...OXO..OXOXOX",
		Task:     "Your opponent turned wheel 1, so it is locked for your turn. Wheel 3 has no balls, and an empty wheel can't be turned. Turn any other.",
		Right: []games.Move{
			"0:1", "0:2", "0:3", "0:4", "0:5", "2:1", "2:2", "2:3", "2:4", "2:5", "4:1", "4:2", "4:3", "4:4", "4:5",
			"5:1", "5:2", "5:3", "5:4", "5:5", "6:1", "6:2", "6:3", "6:4", "6:5",
		},
		Shown: "Now your wheel is locked for your opponent, and wheel 1 is free again.",
	},
	{
		Title:    "Something must change",
		Position: "turn=X last=3 turns=0 XO...OXOX....XOX..OOXOXXOXO...",
		Task:     "Around wheel 5 the balls of both sides alternate. After a turn something must look different. Turn wheel 5.",
		Right:    []games.Move{"5:1", "5:3", "5:5"},
		Shown:    "By 2 or 4 steps, wheel 5 would look as before. That isn't a turn.",
		Else:     "That is a turn, but turn wheel 5.",
	},
	{
		Title:    "Six linked balls",
		Position: "turn=X last=4 turns=0 XOX..O.O....X..OXXXXOO..XOOX.O",
		Task:     "Lines on the board link points. Six linked balls of yours win. One turn brings a ball to where it joins the others: find it.",
		Right:    []games.Move{"1:2"},
		Shown:    "Six balls in a chain: you win.",
		Else:     "That doesn't link six. A ball on wheel 1 can come to the point that joins the rest.",
	},
	{
		Title:    "Any shape",
		Position: "turn=X last=3 turns=0 OXX.O.XX..XOOXO.O..OX.....XOXO",
		Task:     "The six may branch. Win with one turn.",
		Right:    []games.Move{"4:2", "4:3"},
		Shown:    "No ball has to follow another: the group may have branches. Only where both agreed on chains it may not.",
		Else:     "That doesn't link six. Turn the wheel at the right, 4.",
	},
	{
		Title:    "No line, no link",
		Position: "turn=X last=3 turns=30 .O.OOO...XXX..X..O.X..OOXOOXXX",
		Task:     "Balls are linked by lines alone, not because they lie close together. Turn wheel 4 so that six of yours are linked.",
		Right:    []games.Move{"4:2"},
		Shown:    "Six are linked by lines: you win. On the rim there are gaps between wheels, and no line crosses them.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"4:3"}, Words: "It looks like six, but no line joins wheels 5 and 6 at the bottom edge."},
		},
		Else: "That doesn't link six. Turn wheel 4 by two or three steps.",
	},
	{
		Title:    "Their balls turn too",
		Position: "turn=X last=2 turns=0 X.OX.OX..X.XOO.XXXOO...OX.OO..",
		Task:     "Six linked balls win, no matter who turned the wheel. One wheel must not be turned now: find it, and turn another one.",
		Right: []games.Move{
			"1:1", "1:2", "1:3", "1:4", "1:5", "3:1", "3:2", "3:3", "3:4", "3:5", "4:1", "4:2", "4:3", "4:4", "4:5",
			"5:1", "5:2", "5:3", "5:4", "5:5", "6:1", "6:2", "6:3", "6:4", "6:5",
		},
		Shown: "Any turn of wheel 0 would have linked six enemy balls. Look at the balls of both sides before you turn.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"0:1", "0:2", "0:4", "0:5"}, Words: "That links six enemy balls: your opponent wins by your turn."},
		},
	},
	{
		Title:    "Both at once",
		Position: "turn=X last=6 turns=0 ..OX.XOO..X..XO.OOOXO..XX.X.XO",
		Task:     "If a turn links six balls of both sides, the one who made it wins. Win now.",
		Right:    []games.Move{"3:2", "3:3"},
		Shown:    "Both have six linked, and you made the turn: you win.",
		Else:     "That doesn't link six of yours. Try the middle wheel.",
	},
	{
		Title:    "Lock a wheel",
		Position: "turn=X last=2 turns=24 .OXOOOO...XX.OXXX.X...XX.OO.O.",
		Task:     "Your opponent threatens to turn wheel 3 and link six. Make a turn after which no enemy turn wins.",
		Right: []games.Move{
			"0:1", "0:3", "0:4", "0:5", "3:2", "3:3", "3:4", "3:5", "5:1", "5:2", "5:3", "5:4", "5:5",
		},
		Shown: "A wheel that you turn is locked for your opponent: to turn the dangerous one yourself is often the surest defence.",
		Wrong: []games.Remark{
			{Moves: []games.Move{"3:1"}, Words: "That is the very turn that links six enemy balls."},
		},
		Else: "An enemy turn links six now. Turn wheel 3 yourself, or one that moves enemy balls away from it.",
	},
}
