// Package notices puts notices into words, and hands them to the servers by which they leave the club.
package notices

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ludoteca/lobby/notices"
	"ludoteca/sshapp/notices/mail"
	"ludoteca/sshapp/notices/ntfy"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	noticestore "ludoteca/storage/notices"
)

// A Sender is the notices.Sender of a club.
type Sender struct {
	Club    string       // the name of the club
	Address text.Address // of the club, for commands
	Mail    *mail.Sender // nil: there is no mail
	Ntfy    *ntfy.Sender // nil: there is no ntfy
}

// Sends implements notices.Sender.
func (s *Sender) Sends(kind noticestore.Kind) bool {
	return kind == noticestore.Mail && s.Mail != nil || kind == noticestore.Ntfy && s.Ntfy != nil
}

// Send implements notices.Sender.
func (s *Sender) Send(ctx context.Context, to noticestore.Address, l notices.Letter) error {
	say := wording.In(l.Language).At(s.Address).InZone(l.Zone)
	title, words := Words(say, s.Club, l)
	stop := say.SSH("notify stop " + to.Stop)
	words += "\n" + say.T("To end all notices to this address, for ever: %s", stop) + "\n"
	switch {
	case to.Kind == noticestore.Mail && s.Mail != nil:
		return final(s.Mail.Send(ctx, to.To, mail.Message{ID: l.ID, Subject: title, Text: words, Stop: stop}), mail.ErrRefused)
	case to.Kind == noticestore.Ntfy && s.Ntfy != nil:
		return final(s.Ntfy.Send(ctx, to.To, title, words), ntfy.ErrRefused)
	}
	return errors.New("notices of this kind are not sent")
}

// final returns an error as one that wraps notices.ErrRefused, if it says that a letter is refused for good.
func final(err, refused error) error {
	if errors.Is(err, refused) {
		err = fmt.Errorf("%w: %w", notices.ErrRefused, err)
	}
	return err
}

// maxMatches is how many matches a notice names.
const maxMatches = 10

// Words returns the title and the text of a letter of a club with a name. The text ends with the end of a line, and has no words of others but names.
func Words(say wording.Words, club string, l notices.Letter) (title, words string) {
	var lines []string
	switch l.Kind {
	case notices.CodeAsked:
		title = say.T("Your code for notices of %s", club)
		lines = append(lines, say.T("%s wants notices of %s, a board-game club, at this address. If that is you, say within a day:", say.Name(l.Player), club), "",
			"    "+say.SSH("notify confirm "+l.Code), "", say.T("If it isn't, do nothing: then nothing else is sent here."))
	case noticestore.YourMove:
		n := len(l.Matches)
		title = say.N(n, "A match waits for your move", "%d matches wait for your move")
		for _, m := range l.Matches[:min(n, maxMatches)] {
			lines = append(lines, moveWords(say, m), "    "+say.SSHScreen("join "+m.Code), "")
		}
		if more := n - maxMatches; more > 0 {
			lines = append(lines, say.N(more, "And one more match.", "And %d more matches."), "")
		}
	case noticestore.Challenged:
		title = say.T("You are challenged to a match")
		for _, m := range l.Matches {
			title = say.T("%s challenges you", say.Occupant(m.Opponent))
			rated := say.T("casual")
			if m.Rated {
				rated = say.T("rated")
			}
			lines = append(lines, say.T("%s challenges you: %s, %s, %s.", say.Occupant(m.Opponent), say.Spell(m.Game.About().Name), say.Clock(m.Clock), rated),
				"    "+say.SSHScreen("join "+m.Code), "    "+say.SSH("decline "+m.Code), "")
		}
	case noticestore.EventBegins:
		title = say.T("The event %s begins", say.Name(l.Event.Name))
		lines = append(lines, say.T("The event %s begins: %s.", say.Name(l.Event.Name), say.Minute(l.Event.Begins)),
			"    "+say.SSHScreen("event show "+l.Event.Code), "")
	}
	return title, strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// moveWords says that a match waits for the reader's move.
func moveWords(say wording.Words, m notices.Match) string {
	game, other := say.Spell(m.Game.About().Name), say.Occupant(m.Opponent)
	if m.Until.IsZero() {
		return say.T("%s, against %s: it is your move.", game, other)
	}
	return say.T("%s, against %s: it is your move, until %s.", game, other, say.Minute(m.Until))
}
