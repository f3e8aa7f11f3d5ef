package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ludoteca/games"
)

// ErrRefused is wrapped by the error that says how many games had an illegal move. Everything that could be replayed was.
var ErrRefused = errors.New("not all games could be replayed")

// Replay reads games from r, one a line, moves in canonical text separated by spaces, and writes each position to w, the
// starting one included. An illegal move ends its game with a line that says why; Replay goes on with the next
// one and returns an error that wraps ErrRefused at the end. An empty line is a game without moves; a line may end in CR LF.
//
// A game may also be a record, which begins with its headers and ends with the input or with the headers of the next; it has a start
// and options of its own. One that can't be read is refused like a game with an illegal move.
//
// Memory does not grow with the input: moves are read one by one, and only the beginning of a word is kept if it is longer than any
// move. Output is written after each line when no more input is at hand, so it can be a conversation.
func Replay(ctx context.Context, w io.Writer, r io.Reader, g games.Game, o games.Options, asJSON bool) error {
	start, err := g.New(o)
	if err != nil {
		return err
	}
	return ReplayFrom(ctx, w, r, g, start, asJSON)
}

// ReplayFrom is Replay for games that begin in another position.
func ReplayFrom(ctx context.Context, w io.Writer, r io.Reader, g games.Game, start games.Position, asJSON bool) error {
	out := bufio.NewWriterSize(w, 1<<16)
	rp := &replay{
		in: tokens{bufio.NewReaderSize(r, 1<<16)}, out: out, game: g, start: start, to: &plainReplay{out, g.About()},
	}
	if asJSON {
		rp.to = &jsonReplay{newEncoder(out)}
	}
	err := rp.run(ctx)
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write: %w", flushed)
	}
	switch {
	case err != nil || rp.refused == 0:
	case rp.records > 0:
		err = fmt.Errorf("%w: a fault in %d of %d", ErrRefused, rp.refused, rp.games)
	default:
		err = fmt.Errorf("%w: an illegal move in %d of %d", ErrRefused, rp.refused, rp.games)
	}
	return err
}

// A replayWriter writes what happens in the game with number index at a ply.
type replayWriter interface {
	position(index, ply int, m games.Move, p games.Position) error
	refused(index, ply int, move, why string) error
}

type replay struct {
	in      tokens
	out     *bufio.Writer
	game    games.Game
	start   games.Position
	to      replayWriter
	games   int // read so far
	records int // of them, those that are records
	refused int // of them, those with an illegal move
}

func (rp *replay) run(ctx context.Context) error {
	for index := 0; ; index++ {
		more, err := rp.in.more()
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if !more {
			return nil
		}
		rp.games++
		read := rp.line
		if rp.in.isRecord() {
			read = rp.record
		}
		if err := read(ctx, index); err != nil {
			return err
		}
		if rp.in.waits() {
			if err := rp.out.Flush(); err != nil {
				return fmt.Errorf("write: %w", err)
			}
		}
	}
}

// line replays one line.
func (rp *replay) line(ctx context.Context, index int) error {
	p, move, ended := rp.start, games.Move(""), false
	for ply := 0; !ended; ply++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := rp.to.position(index, ply, move, p); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		token, err := rp.in.next()
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if token == "" {
			return nil
		}
		move = games.Move(token)
		next, err := p.Play(move)
		if err != nil {
			ended = true
			if err := rp.refuse(index, ply+1, token, err); err != nil {
				return err
			}
		}
		p = next
	}
	return nil
}

// record replays one record.
func (rp *replay) record(ctx context.Context, index int) error {
	rp.records++
	text, err := rp.in.recordText()
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	positions, moves, err := rp.read(text)
	if err != nil {
		rp.refused++
		if err := rp.to.refused(index, 0, "", err.Error()); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		return nil
	}
	for ply, p := range positions {
		if err := ctx.Err(); err != nil {
			return err
		}
		var move games.Move
		if ply > 0 {
			move = moves[ply-1]
		}
		if err := rp.to.position(index, ply, move, p); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}

// read returns the positions of a record, and the moves between them.
func (rp *replay) read(text string) ([]games.Position, []games.Move, error) {
	record, last, err := games.ReadRecord(strings.NewReader(text), func(id string) (games.Game, bool) {
		return games.Find([]games.Game{rp.game}, id)
	})
	if err != nil {
		return nil, nil, err
	}
	positions, err := positionsOf(rp.game, record, last.Options())
	return positions, record.Moves, err
}

// refuse reports an illegal move and passes over the rest of the line.
func (rp *replay) refuse(index, ply int, token string, why error) error {
	rp.refused++
	words := why.Error()
	if illegal, ok := errors.AsType[*games.IllegalError](why); ok {
		words = illegal.Rule() // the move has a place of its own
	}
	if err := rp.to.refused(index, ply, token, words); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := rp.in.skip(); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return nil
}

// tokens reads lines of words. Only spaces and tabs separate words, so anything else in them is an illegal move.
type tokens struct{ r *bufio.Reader }

// maxToken is how many bytes of a word are kept. No move of any game is half as long.
const maxToken = 40

// more reports whether there is one more line.
func (t *tokens) more() (bool, error) {
	_, err := t.r.Peek(1)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

// isRecord reports whether the next line begins a record. No move begins so.
func (t *tokens) isRecord() bool {
	b, err := t.r.Peek(1)
	return err == nil && b[0] == '['
}

// recordText returns the record that begins here, up to the headers of the next; of one that is too long, a bit more than a record may
// have.
func (t *tokens) recordText() (string, error) {
	var text []byte
	for begun, moves := false, false; ; {
		if t.isRecord() && moves {
			return string(text), nil
		}
		line, err := t.r.ReadSlice('\n')
		if begun || len(strings.TrimSpace(string(line))) > 0 { // the rest of a long line counts as what the line is
			if !begun {
				moves = line[0] != '['
			}
		}
		begun = errors.Is(err, bufio.ErrBufferFull)
		if room := games.MaxRecord + 1 - len(text); room > 0 {
			text = append(text, line[:min(len(line), room)]...)
		}
		switch {
		case errors.Is(err, io.EOF):
			return string(text), nil
		case err != nil && !begun:
			return "", err
		}
	}
}

// waits reports whether the next read has to wait for input.
func (t *tokens) waits() bool { return t.r.Buffered() == 0 }

// next returns the next word of the line, and "" after the last one, which takes the end of the line. A word that is
// too long comes back cut, with dots that make it no move of any game.
func (t *tokens) next() (string, error) {
	var word []byte
	cut := false
	for {
		b, err := t.r.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return text(word, cut), nil
		case err != nil:
			return "", err
		case b == '\n':
			if len(word) > 0 {
				err = t.r.UnreadByte()
			}
			return text(word, cut), err
		case b == '\r' && t.endsLine():
			// Part of the end of the line.
		case b == ' ' || b == '\t':
			if len(word) > 0 {
				return text(word, cut), nil
			}
		case len(word) < maxToken:
			word = append(word, b)
		default:
			cut = true
		}
	}
}

// endsLine reports whether the line or the input ends here.
func (t *tokens) endsLine() bool {
	b, err := t.r.Peek(1)
	return err != nil || b[0] == '\n'
}

func text(word []byte, cut bool) string {
	if !cut {
		return string(word)
	}
	for n := len(word); n > len(word)-utf8.UTFMax; n-- { // not in the middle of a character
		if utf8.RuneStart(word[n-1]) {
			word = word[:n-1]
			break
		}
	}
	return string(word) + "..."
}

// skip passes over the rest of the line.
func (t *tokens) skip() error {
	for {
		_, err := t.r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// plainReplay writes for people.
type plainReplay struct {
	w     io.Writer
	about *games.About
}

func (pr *plainReplay) position(index, ply int, m games.Move, p games.Position) error {
	if m == "" {
		m = "start"
	}
	_, err := fmt.Fprintf(pr.w, "game %d, ply %d: %s\n%s\n%s\n\n", index, ply, m, strings.Join(p.Rows(), "\n"), pr.state(p))
	return err
}

// state says in words which side is to move, or how the game has ended.
func (pr *plainReplay) state(p games.Position) string {
	result := p.Result()
	reason := p.Options().Fill(pr.about.Reasons[result.Reason])
	switch {
	case !result.Over:
		return fmt.Sprintf("%s to move, legal moves: %d", pr.about.Sides[p.Turn()], len(p.Legal()))
	case result.Draw:
		return "Draw: " + reason
	}
	return fmt.Sprintf("%s wins: %s", pr.about.Sides[result.Winner], reason)
}

func (pr *plainReplay) refused(index, ply int, move, why string) error {
	if move == "" {
		_, err := fmt.Fprintf(pr.w, "game %d: the record can't be read: %s\n\n", index, why)
		return err
	}
	_, err := fmt.Fprintf(pr.w, "game %d, ply %d: illegal move %q: %s\n\n", index, ply, move, why)
	return err
}

// jsonReplay writes one object a line.
type jsonReplay struct{ enc *json.Encoder }

type replayLine struct {
	GameIndex int          `json:"game_index"`
	Ply       int          `json:"ply"`
	Move      games.Move   `json:"move"`
	Board     []string     `json:"board"`
	Turn      string       `json:"turn"`
	Legal     []games.Move `json:"legal"`
	Result    string       `json:"result"`
	Reason    string       `json:"reason"`
}

type refusedLine struct {
	GameIndex int    `json:"game_index"`
	Ply       int    `json:"ply"`
	Move      string `json:"move"`
	Error     string `json:"error"`
}

func (jr *jsonReplay) position(index, ply int, m games.Move, p games.Position) error {
	line := replayLine{
		GameIndex: index, Ply: ply, Move: m, Board: p.Rows(), Legal: p.Legal(),
		Result: p.Result().String(), Reason: p.Result().Reason,
	}
	if !p.Result().Over {
		line.Turn = p.Turn().String()
	}
	if line.Legal == nil {
		line.Legal = []games.Move{} // a list in JSON, not null
	}
	return jr.enc.Encode(line)
}

func (jr *jsonReplay) refused(index, ply int, move, why string) error {
	return jr.enc.Encode(refusedLine{index, ply, strings.ToValidUTF8(move, "\ufffd"), why})
}
