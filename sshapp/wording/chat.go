package wording

import (
	"ludoteca/lobby"
	"ludoteca/lobby/chat"
	"ludoteca/lobby/lounge"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/tells"
	"ludoteca/sshapp/text"
	chatstore "ludoteca/storage/chat"
	relationstore "ludoteca/storage/relations"
)

// greetings are the words of the greetings, by their ids in lobby.Greetings.
var greetings = map[string]string{
	"hello": text.T("Hello!"), "luck": text.T("Good luck!"), "thanks": text.T("Thank you!"), "wait": text.T("One moment, please."),
	"nice": text.T("Nice move!"), "played": text.T("Well played!"), "game": text.T("Good game!"), "bye": text.T("Bye, see you!"),
}

// IsGreeting reports whether there is a greeting with this id.
func IsGreeting(id string) bool { return greetings[id] != "" }

// Talk are the sentences that people write to each other, and about them.
type Talk struct{ say Words }

// Talk returns the sentences that people write to each other.
func (s Words) Talk() Talk { return Talk{s} }

// Greeting returns the words of a greeting.
func (t Talk) Greeting(id string) string { return t.say.T(greetings[id]) }

// Text returns the text of a chat line for a reader: clean, in one line, and a greeting in the reader's language.
func (t Talk) Text(line chatstore.Line) string {
	if line.Greeting != "" {
		return t.Greeting(line.Greeting)
	}
	return t.say.Spell(text.Clean(line.Text))
}

// Line returns a line with its author in front of it.
func (t Talk) Line(line chat.ViewLine) string {
	name := t.say.Name(line.By.Name)
	if line.Room == lobby.SpectatorsRoom {
		name = t.say.T("%s (watching)", name)
	}
	return name + ": " + t.Text(line.Line)
}

// Told returns a line from one player to another, as one of both reads it.
func (t Talk) Told(l tells.Line) string {
	if l.Sent {
		// Translators: what the reader has written to a player
		return t.say.T("You tell %s: %s", t.say.Name(l.To), t.say.Spell(text.Clean(l.Text)))
	}
	// Translators: what a player has written to the reader
	return t.say.T("%s tells you: %s", t.say.Name(l.By), t.say.Spell(text.Clean(l.Text)))
}

// Lounge returns a line of the lounge with its author in front of it.
func (t Talk) Lounge(l lounge.Line) string {
	return t.say.Name(l.By.Name) + ": " + t.say.Spell(text.Clean(l.Text))
}

// Waiting returns the sentence that n lines of guests wait until the reader writes something.
func (t Talk) Waiting(n int) string {
	return t.say.N(n, "A guest has written a line. Write something, hello for example, to see it.",
		"Guests have written %d lines. Write something, hello for example, to see them.")
}

// Related returns the sentence that a player is now on a list of the reader's, or no longer.
func (s Words) Related(kind relationstore.Kind, name string, on bool) string {
	switch {
	case kind == relations.Blocked && on:
		return s.T("You block %s: no chat, no challenges and no pairing between you. They are not told.", name)
	case kind == relations.Blocked:
		return s.T("You no longer block %s.", name)
	case on:
		return s.T("You follow %s, and are told when they come in.", name)
	}
	return s.T("You no longer follow %s.", name)
}

// Arrived returns the sentence that a followed player has come.
func (s Words) Arrived(name string) string { return s.T("%s is here.", text.Clean(name)) }
