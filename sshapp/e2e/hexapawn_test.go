package e2e

import (
	"encoding/json"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/sshapp/e2e/hexapawn"
	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/e2e/sshclient"
)

// startHexapawn starts a club whose only game is hexapawn.
func startHexapawn(t *testing.T) *liveClub {
	t.Helper()
	return start(t, program.Serve(t, programPath(t), t.TempDir()), onlyHexapawn+"=1")
}

// TestScreenHexapawn plays hexapawn in the full screen, on a board drawn from the text of the position.
func TestScreenHexapawn(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startHexapawn(t)
	ana, rui := visit(t, keys, club.addr, "ana"), visit(t, keys, club.addr, "rui")
	ana.signsUp()
	rui.signsUp()
	code := ana.opens("Hexapawn", "rated", "Rows=5")
	rui.joins(code)
	ana.Shows("Hexapawn 3x5 · match "+code+" · rated", "5 │ p │ p │ p │ 5", "1 │ P │ P │ P │ 1", "Go one cell ahead, or take diagonally.")
	ana.Types("?")
	ana.Shows("Two rows of pawns", "The end", "A pawn on the far row wins.")
	ana.Types(esc)
	ana.plays("b1-b2")
	rui.Shows("your move")
	rui.Types("C5C4")
	rui.Shows("enter plays c5-c4")
	rui.Types(enter)
	ana.Shows("your move")
	ana.Types("b2b4", enter)
	ana.Shows("b2-b4 can't be played: a pawn goes one cell ahead or captures diagonally.")
	ana.Types(esc)
	ana.Loses("› b2b4")
	for _, name := range []string{"b2", "b3"} {
		ana.Clicks(ana.square(name))
	}
	rui.plays("c4xb3")
	ana.plays("a1-a2")
	rui.plays("b3xa2")
	ana.plays("c1-c2")
	rui.plays("a2-a1")
	for _, c := range []*terminal{ana, rui} {
		c.Shows("over", "rui wins: a pawn on the far row.", "ana ■  1500? → 1447?")
	}
	ana.Types("v")
	ana.Shows("move 8 of 8", "rui plays a2-a1", "2  b2-b3??  c4xb3")
	ana.Types(left)
	ana.Shows("move 7 of 8", "ana plays c1-c2", "proven: rui wins at once")
	ana.Types(esc)
	ana.Shows("r rematch")
	ana.Types(esc)
	ana.Shows("PLAY", "Hexapawn 1447?")
	ana.chooses("Learn the games")
	ana.Types(enter)
	ana.Shows("Hexapawn", "Two rows of pawns")
	ana.Types(esc)
	ana.Shows("PLAY")
	ana.Quits()
}

// TestHexapawnLevels has every computer player of hexapawn make a move in a club.
func TestHexapawnLevels(t *testing.T) {
	t.Parallel()
	club := startHexapawn(t)
	ana := sshclient.MustDial(t, club.addr, "ana", sshclient.NewSigner(t))
	levels := bot.Levels(hexapawn.New())
	if len(levels) != 2+len(games.UsualProfile().Presets) {
		t.Errorf("%d levels, want random, greedy and those that search", len(levels))
	}
	for _, l := range levels {
		out, err := sshclient.Ask(ana, "new hexapawn cols=5 rows=5 --side second --json --vs "+l.ID)
		var opened struct{ Code string }
		if err != nil || json.Unmarshal(out, &opened) != nil {
			t.Fatalf("%s: %v: %s", l.ID, err, out)
		}
		session, err := ana.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		changes, err := session.StdoutPipe()
		if err == nil {
			err = session.Start("watch " + opened.Code + " --json")
		}
		if err != nil {
			t.Fatal(err)
		}
		moved := object{}
		for lines := json.NewDecoder(changes); moved["ply"] != 1.0; {
			if err := lines.Decode(&moved); err != nil {
				t.Fatalf("%s makes no move: %v", l.ID, err)
			}
		}
		_ = session.Close()
	}
}
