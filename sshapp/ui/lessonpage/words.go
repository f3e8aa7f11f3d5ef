package lessonpage

import (
	"ludoteca/sshapp/ui/boardpage"
)

// paragraphs returns the words of the step, what matters most first: its title, what is said now, and the task where there is room for it too.
func (s lessonScreen) paragraphs() []boardpage.Paragraph {
	t, say, step := s.env.Theme, s.env.Say, s.run.Step()
	all := []boardpage.Paragraph{{Style: t.Bold, Words: say.T(step.Title)}}
	switch {
	case s.run.Solved():
		return append(all, boardpage.Paragraph{Style: t.Accent, Words: say.T("Right.") + " " + say.T(step.Shown)})
	case s.Input.Problem != "":
		all = append(all, boardpage.Paragraph{Style: t.Accent, Words: t.Waiting + " " + s.Input.Problem})
	case s.answer != "":
		all = append(all, boardpage.Paragraph{Style: t.Accent, Words: t.Waiting + " " + s.answer})
	}
	return append(all, boardpage.Paragraph{Style: t.Plain, Words: say.T(step.Task)})
}

// task returns what the page says beside the board.
func (s lessonScreen) task() boardpage.Task {
	names := s.names()
	task := boardpage.Task{Words: s.paragraphs(), Turn: -1, Prompt: s.prompt()}
	for side := range task.Players {
		task.Players[side].Name = names[side]
	}
	if s.unsolved() {
		task.Turn = int(s.run.Side())
		for _, n := range s.Scene.Notes(s.env.Say.Say, names) {
			task.Notes = append(task.Notes, n.Words)
		}
	}
	return task
}

func (s lessonScreen) layout() boardpage.Layout { return s.TaskLayout(s.task(), s.state()) }

// names are what the sides are called: the learner, and the other side.
func (s lessonScreen) names() (names [2]string) {
	say := s.env.Say
	names[s.run.Side()] = say.T("you")
	names[s.run.Side().Other()] = say.T("the other side")
	return names
}

// prompt says what can be done while nothing is typed.
func (s lessonScreen) prompt() string {
	say := s.env.Say
	switch {
	case s.run.Finished():
		return say.T("Done. Enter begins a match.")
	case s.run.Solved() && s.run.Step().Reply != "":
		return say.T("Enter shows the reply and goes on.")
	case s.run.Solved():
		return say.T("Enter goes on to the next step.")
	}
	return s.PromptForMove(say)
}
