package gate

import (
	"context"
	"errors"

	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
)

// ErrGone means that the client has disconnected. That is not an error of the club, and a message would have no reader.
var ErrGone = errors.New("the client is gone")

// A Printer has the parts of a reply made and writes them to the client. It makes each part in its turn where the command costs something, and
// leaves that place before it writes, because the client may be slow.
type Printer struct {
	Gate   *Gate
	From   origin.Origin
	HangUp func()                           // ends the session of a client that leaves too much unread
	Encode func(object any) ([]byte, error) // for scripts; nil: the words for people are printed
	Write  func([]byte) error

	inTurn  bool          // the next part waits for its turn
	once    bool          // only the first part that prints something is made in turn
	counted bool          // the next turn is the first of a heavy command
	begins  *heavyCommand // whose first step isn't done; nil: there is none
	ended   func()        // stops counting a heavy command whose first step is done; nil: there is none
}

// Print prints a reply of a command that costs this. Of a command that follows something, only the first part is made in turn, and a heavy one is
// counted until the client has read its first part that is no wait: it may go on for hours. The first turn of a heavy command is refused while there
// are too many heavy commands. The error is ErrGone if the client was hung up on because it left too many bytes unread.
func (p Printer) Print(ctx context.Context, answer reply.Reply, cost tree.Cost, follows bool) error {
	p.inTurn, p.once, p.counted = cost != tree.Light || follows, follows, cost != tree.Light
	defer func() { // also if the reply panics
		if p.begins != nil {
			p.begins.leave()
		}
		p.endCount()
	}()
	end, err := p.turn(ctx)
	if err != nil {
		return err
	}
	defer func() { end() }()
	for part, err := range answer {
		var printed []byte
		if err == nil {
			printed, err = part.Render(p.Encode)
		}
		end()
		if err != nil {
			return err
		}
		if err := p.print(printed); err != nil {
			return err
		}
		if p.once && part.Wait == nil {
			p.endCount()
		}
		if part.Last {
			return nil
		}
		if part.Wait != nil {
			if err := part.Wait(); err != nil {
				return err
			}
		}
		if end, err = p.turn(ctx); err != nil {
			end = func() {}
			return err
		}
	}
	return nil
}

// turn waits until the turn of the next part comes, if it needs one. The caller calls end when the part is made; further calls do nothing.
func (p *Printer) turn(ctx context.Context) (end func(), err error) {
	switch {
	case !p.inTurn:
		return func() {}, nil
	case p.counted:
		p.counted = false
		if p.begins, err = p.Gate.enter(ctx, p.From); err != nil {
			return nil, err
		}
		return p.begins.begin()
	}
	return p.Gate.beginStep(ctx, p.From.Person)
}

// print writes what was made in a turn.
func (p *Printer) print(printed []byte) error {
	if p.begins != nil {
		p.ended = p.begins.goOn()
		p.begins = nil
	}
	switch {
	case len(printed) == 0:
		return nil
	case !p.inTurn:
		return p.Write(printed)
	}
	p.inTurn = !p.once
	release, ok := p.Gate.keep(p.From, cap(printed), p.HangUp)
	defer release()
	if !ok {
		return ErrGone
	}
	return p.Write(printed)
}

// endCount stops counting a heavy command whose first step is done.
func (p *Printer) endCount() {
	if p.ended != nil {
		p.ended()
		p.ended = nil
	}
}
