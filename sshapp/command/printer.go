package command

import (
	"context"
	"iter"

	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
)

// A printer pulls the parts of a reply and writes them to the client. It makes each part in its turn where the command costs something, and
// leaves that place before it writes, because the client may be slow.
type printer struct {
	ctx     context.Context
	gate    *Gate
	from    origin.Origin
	hangUp  func()
	inTurn  bool                             // the next part waits for its turn
	once    bool                             // only the first part that prints something is made in turn
	counted bool                             // the next turn is the first of a heavy command
	ended   func()                           // stops counting a heavy command; nil: none has begun
	encode  func(object any) ([]byte, error) // for scripts; nil: the words for people are printed
	write   func([]byte) error
}

// print prints a reply of a command that costs this. Of a command that follows something, only the first part is made in turn: it may go on
// for hours.
func (c *call) print(answer reply.Reply, cost tree.Cost, follows bool) error {
	p := printer{
		ctx: c.ctx, gate: c.runner.gate, from: c.caller.origin(), hangUp: c.caller.hangUp, write: c.write,
		inTurn: cost != tree.Light || follows, once: follows, counted: cost != tree.Light,
	}
	if c.asJSON {
		p.encode = c.encode
	}
	defer func() {
		if p.ended != nil {
			p.ended()
		}
	}()
	return p.print(answer)
}

func (p *printer) print(answer reply.Reply) error {
	next, stop := iter.Pull2(answer)
	defer stop()
	for {
		var part reply.Part
		var printed []byte
		more := false
		err := p.turn(func() (err error) {
			if part, err, more = next(); err == nil && more {
				printed, err = part.Render(p.encode)
			}
			return err
		}, &printed)
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
// are too many heavy commands. The error is errGone if the client was hung up on because it left too many bytes unread.
func (p *printer) turn(work func() error, printed *[]byte) (err error) {
	switch {
	case !p.inTurn:
		if err := work(); err != nil || len(*printed) == 0 {
			return err
		}
		return p.write(*printed)
	case p.counted:
		p.counted = false
		begins, err := p.gate.enter(p.ctx, p.from)
		if err != nil {
			return err
		}
		defer begins.leave() // also if the work panics
		if err := begins.step(work); err != nil {
			return err
		}
		p.ended = begins.goOn()
	default:
		if err := p.gate.Step(p.ctx, p.from.Person, work); err != nil {
			return err
		}
	}
	if len(*printed) == 0 {
		return nil
	}
	p.inTurn = !p.once
	release, ok := p.gate.keep(p.from, cap(*printed), p.hangUp)
	defer release()
	if !ok {
		return errGone
	}
	return p.write(*printed)
}
