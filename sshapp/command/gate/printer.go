package gate

import (
	"context"
	"errors"
	"iter"

	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
)

// ErrGone means that the client has disconnected. That is not an error of the club, and a message would have no reader.
var ErrGone = errors.New("the client is gone")

// A Printer pulls the parts of a reply and writes them to the client. It makes each part in its turn where the command costs something, and
// leaves that place before it writes, because the client may be slow.
type Printer struct {
	Gate   *Gate
	From   origin.Origin
	HangUp func()                           // ends the session of a client that leaves too much unread
	Encode func(object any) ([]byte, error) // for scripts; nil: the words for people are printed
	Write  func([]byte) error

	inTurn  bool   // the next part waits for its turn
	once    bool   // only the first part that prints something is made in turn
	counted bool   // the next turn is the first of a heavy command
	ended   func() // stops counting a heavy command; nil: none has begun
}

// Print prints a reply of a command that costs this. Of a command that follows something, only the first part is made in turn, and a heavy one is
// counted until the client has read its first part that is no wait: it may go on for hours. The error is ErrGone if the client was hung up on because
// it left too many bytes unread.
func (p Printer) Print(ctx context.Context, answer reply.Reply, cost tree.Cost, follows bool) error {
	p.inTurn, p.once, p.counted = cost != tree.Light || follows, follows, cost != tree.Light
	defer func() {
		if p.ended != nil {
			p.ended()
		}
	}()
	return p.print(ctx, answer)
}

func (p *Printer) print(ctx context.Context, answer reply.Reply) error {
	next, stop := iter.Pull2(answer)
	defer stop()
	for {
		var part reply.Part
		var printed []byte
		more := false
		err := p.turn(ctx, func() (err error) {
			if part, err, more = next(); err == nil && more {
				printed, err = part.Render(p.Encode)
			}
			return err
		}, &printed)
		if p.once && part.Wait == nil && p.ended != nil {
			p.ended()
			p.ended = nil
		}
		switch {
		case err != nil:
			return err
		case !more:
			return nil
		case part.Wait != nil:
			if err := part.Wait(); err != nil {
				return err
			}
		case part.Last:
			return nil
		}
	}
}

// turn runs work in its turn, if it needs one, and then writes what it has printed. The first turn of a heavy command is refused while there
// are too many heavy commands. The error is ErrGone if the client was hung up on because it left too many bytes unread.
func (p *Printer) turn(ctx context.Context, work func() error, printed *[]byte) (err error) {
	switch {
	case !p.inTurn:
		if err := work(); err != nil || len(*printed) == 0 {
			return err
		}
		return p.Write(*printed)
	case p.counted:
		p.counted = false
		begins, err := p.Gate.enter(ctx, p.From)
		if err != nil {
			return err
		}
		defer begins.leave() // also if the work panics
		if err := begins.step(work); err != nil {
			return err
		}
		p.ended = begins.goOn()
	default:
		if err := p.Gate.Step(ctx, p.From.Person, work); err != nil {
			return err
		}
	}
	if len(*printed) == 0 {
		return nil
	}
	p.inTurn = !p.once
	release, ok := p.Gate.keep(p.From, cap(*printed), p.HangUp)
	defer release()
	if !ok {
		return ErrGone
	}
	return p.Write(*printed)
}
