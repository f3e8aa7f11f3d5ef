package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/board"
	"ludoteca/games/catalog"
	"ludoteca/games/flugelrad"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/accounts"
	"ludoteca/storage/storagetest"
)

// A transcriptReader plays a match from what the line mode prints alone: it knows the rules, but sees neither the match nor its events. What it
// knows of the board are the places of the pieces, by what was told of them.
type transcriptReader struct {
	t      *testing.T
	say    wording.Words
	prompt *heardPrompt
	game   games.Game
	board  map[string]string // by place: whose piece, and which
	pos    games.Position    // the moves that were told, by the rules
	moves  []games.Move
	all    strings.Builder // the whole transcript

	refused int // moves that the rules forbid
}

// opponentName is the computer player of these matches.
const opponentName = "Dice"

// newTranscript begins a match of a game, in a language.
func newTranscript(t *testing.T, id, language string) *transcriptReader {
	t.Helper()
	random := games.NewRandom(7)
	club, err := lobby.New(t.Context(), storagetest.NewMemory(storagetest.Rate), lobby.Config{Games: catalog.All(), Levels: []lobby.Level{{
		ID: "dice", Name: opponentName, Sentence: "Plays any move.", Move: func(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
			legal := p.Legal()
			return legal[random.N(len(legal))], nil
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = club.Close() })
	h := &fixture{t: t, run: New(club, slog.New(slog.DiscardHandler), Options{Gate: fastGate()})}
	h.as("ana", Done, "name ana")
	if err := club.Accounts.SaveSettings(t.Context(), mustSignIn(t, h, "ana"), accounts.Settings{Language: language}); err != nil {
		t.Fatal(err)
	}
	r := &transcriptReader{t: t, say: wording.In(language), prompt: h.hear(key("ana"), false), board: map[string]string{}}
	if r.game, err = club.Game(id); err != nil {
		t.Fatal(err)
	}
	if r.pos, err = r.game.New(games.OptionsOf(r.game)); err != nil {
		t.Fatal(err)
	}
	return r
}

// asks types a line and returns what is printed until the next prompt.
func (r *transcriptReader) asks(line string) []string {
	r.t.Helper()
	r.prompt.types(line + "\n")
	time.Sleep(5 * time.Second) // of the bubble: the computer player answers before the prompt
	synctest.Wait()
	var lines []string
	for text := range strings.Lines(r.prompt.answers.take() + r.prompt.told.take()) {
		if text = strings.TrimSpace(prompts.ReplaceAllString(text, "")); text != "" {
			lines = append(lines, text)
		}
	}
	fmt.Fprintf(&r.all, "> %s\n%s\n", line, strings.Join(lines, "\n"))
	return lines
}

// The owners of pieces.
const (
	yours  = "your "
	theirs = opponentName + "'s "
)

// pieceNames are what pieces are called, without their owner.
var pieceNames = map[string][]string{
	"momentum": {"marble"}, "petteia": {"man"}, "fourmation": {"piece"}, "flugelrad": {"ball"}, "tanks": {"heavy tank", "destroyer", "medium tank"},
}

// phrase returns what a piece is called in the language of the transcript.
func (r *transcriptReader) phrase(owner, name string) string {
	if owner == yours {
		return r.say.T("your " + name)
	}
	return r.say.T("%s's "+name, opponentName)
}

// owned calls f for the pieces of both sides.
func (r *transcriptReader) owned(f func(owner, name, phrase string)) {
	for _, name := range pieceNames[r.game.About().ID] {
		for _, owner := range []string{yours, theirs} {
			f(owner, name, r.phrase(owner, name))
		}
	}
}

// contents reads what stands on places: "a1 to l1 each your man, d3 empty, the rest is empty". in are the places that are asked about, in order.
func (r *transcriptReader) contents(words string, in []string) map[string]string {
	found := map[string]string{}
	r.owned(func(owner, name, phrase string) {
		for _, m := range regexp.MustCompile(`(?:^|[ ,:])(\w*\d) `+regexp.QuoteMeta(phrase)+`(?:[,.]|$)`).FindAllStringSubmatch(words, -1) {
			found[m[1]] = owner + name
		}
		each := regexp.QuoteMeta(fmt.Sprintf(r.say.T("%s to %s each %s"), "FROM", "UPTO", phrase))
		each = strings.NewReplacer("FROM", `(\w+)`, "UPTO", `(\w+)`).Replace(each)
		for _, m := range regexp.MustCompile(each).FindAllStringSubmatch(words, -1) {
			for _, place := range in[slices.Index(in, m[1]) : slices.Index(in, m[2])+1] {
				found[place] = owner + name
			}
		}
	})
	return found
}

// plurals are what all pieces of a side are called.
var plurals = map[string]string{
	"marble": "marbles", "man": "men", "piece": "pieces", "ball": "balls",
	"heavy tank": "heavy tanks", "medium tank": "medium tanks", "destroyer": "destroyers",
}

// list reads where the pieces of both sides are.
func (r *transcriptReader) list(lines []string) map[string]string {
	found := map[string]string{}
	r.owned(func(owner, name, _ string) {
		plural := plurals[name]
		head := r.say.T("Your " + plural)
		if owner != yours {
			head = r.say.T(strings.ToUpper(plural[:1])+plural[1:]+" of %s", opponentName)
		}
		for _, m := range regexp.MustCompile(regexp.QuoteMeta(head)+`: ([\w, ]+)\.`).FindAllStringSubmatch(strings.Join(lines, " "), -1) {
			for place := range strings.SplitSeq(m[1], ", ") {
				found[place] = owner + name
			}
		}
	})
	delete(found, "none on the board")
	return found
}

// places returns all places in the order of the sentence pattern with its verbs.
func (r *transcriptReader) verbs(words, sentence string, args ...string) [][]string {
	format := r.say.T(sentence)
	for i, a := range args {
		format = strings.Replace(format, "%s", a, 1)
		_ = i
	}
	rx := regexp.MustCompile(`%[sd]`).ReplaceAllString(regexp.QuoteMeta(format), `(\w+)`)
	var all [][]string
	for _, m := range regexp.MustCompile(rx).FindAllStringSubmatch(words, -1) {
		all = append(all, m[1:])
	}
	return all
}

// told takes in what was told of one move by a side.
func (r *transcriptReader) told(owner, words string) {
	r.t.Helper()
	m := games.Move("")
	// pick returns the verbs of the sentence about the side that moves, without its name.
	pick := func(mine, other string) []string {
		if owner == yours {
			if v := r.verbs(words, mine); len(v) > 0 {
				return v[0]
			}
			return nil
		}
		if v := r.verbs(words, other, opponentName); len(v) > 0 {
			return v[0]
		}
		return nil
	}
	switch r.game.About().ID {
	case "momentum":
		if v := pick("You swap: the marble on %s is yours now.", "%s swaps and takes the marble on %s."); v != nil {
			r.board[v[0]], m = owner+"marble", "swap"
			break
		}
		v := pick("You drop on %s", "%s drops on %s")
		m = games.Move(v[0])
		for _, from := range r.verbs(words, "your marble on %s falls off the board") {
			delete(r.board, from[0])
		}
		for _, from := range r.verbs(words, "%s's marble on %s falls off the board", opponentName) {
			delete(r.board, from[0])
		}
		for _, way := range r.verbs(words, "your marble on %s is pushed to %s") {
			delete(r.board, way[0])
			r.board[way[1]] = yours + "marble"
		}
		for _, way := range r.verbs(words, "%s's marble on %s is pushed to %s", opponentName) {
			delete(r.board, way[0])
			r.board[way[1]] = theirs + "marble"
		}
		r.board[v[0]] = owner + "marble"
	case "petteia":
		v := pick("You move %s to %s.", "%s moves %s to %s.")
		m = games.Move(v[0] + "-" + v[1])
		delete(r.board, v[0])
		r.board[v[1]] = owner + "man"
		for _, c := range r.verbs(words, "Your man on %s is captured.") {
			delete(r.board, c[0])
		}
		for _, c := range r.verbs(words, "%s's man on %s is captured.", opponentName) {
			delete(r.board, c[0])
		}
		if pick("Your man is lost: it moved between two enemies.", "%s's man is lost: it moved between two enemies.") != nil {
			delete(r.board, v[1])
		}
	case "fourmation":
		v := pick("You place a piece on %s.", "%s places a piece on %s.")
		m = games.Move(v[0])
		r.board[v[0]] = owner + "piece"
	case "flugelrad":
		v := pick("You turn wheel %s one step to the left.", "%s turns wheel %s one step to the left.")
		if v != nil {
			v = append(v, "1")
		} else {
			v = pick("You turn wheel %s by %d steps to the left.", "%s turns wheel %s by %d steps to the left.")
		}
		m = games.Move(v[0] + ":" + v[1])
		_, after, _ := strings.Cut(words, "clockwise")
		_, after, _ = strings.Cut(after, ":")
		after, _, _ = strings.Cut(after, ".")
		ring := r.wheel(v[0])
		for _, place := range ring {
			delete(r.board, place)
		}
		maps.Copy(r.board, r.contents(after, ring))
	case "tanks":
		r.owned(func(of, name, phrase string) {
			for _, v := range r.verbs(words, "%s moves from %s to %s", strings.ToUpper(phrase[:1])+phrase[1:]) {
				delete(r.board, v[0])
				m = games.Move(v[0] + "-" + v[1])
				if r.board[v[1]] != "" {
					m = games.Move(v[0] + "x" + v[1])
				}
				r.board[v[1]] = of + name
			}
		})
	}
	next, err := r.pos.Play(m)
	if err != nil {
		r.t.Fatalf("%q tells no legal move: %v", words, err)
	}
	r.pos, r.moves = next, append(r.moves, m)
	r.check()
}

func (r *transcriptReader) wheel(name string) (ring []string) {
	for _, point := range flugelrad.WheelPoints(int(name[0] - '0')) {
		ring = append(ring, fmt.Sprint(point))
	}
	return ring
}

// letters are how board texts write the pieces, the first side first.
var letters = map[string][2]string{"heavy tank": {"T", "t"}, "medium tank": {"M", "m"}, "destroyer": {"D", "d"}}

// check compares what was told of the board with the position that the moves lead to.
func (r *transcriptReader) check() {
	r.t.Helper()
	want := map[string]string{}
	rows := r.pos.Rows()
	for i, row := range rows {
		for col, c := range row {
			place := board.Name(col, len(rows)-1-i)
			if r.game.About().ID == "flugelrad" {
				place = fmt.Sprint(col + 1)
			}
			for _, name := range pieceNames[r.game.About().ID] {
				signs, ok := letters[name]
				if !ok {
					signs = [2]string{"X", "O"}
				}
				switch string(c) {
				case signs[0]:
					want[place] = yours + name
				case signs[1]:
					want[place] = theirs + name
				}
			}
		}
	}
	if !maps.Equal(want, r.board) {
		r.t.Fatalf("after %v the transcript tells of %v, the match has %v\n%s", r.moves, r.board, want, r.all.String())
	}
}

// places returns the places of a row, a column or the whole board, in the order in which they are told.
func (r *transcriptReader) row(name string) (places []string) {
	rows := r.pos.Rows()
	if r.game.About().ID == "flugelrad" {
		for point := 1; point <= flugelrad.Points; point++ {
			if row, _ := flugelrad.PointPlace(point); fmt.Sprint(row+1) == name {
				places = append(places, fmt.Sprint(point))
			}
		}
		slices.SortFunc(places, func(a, b string) int {
			_, x := flugelrad.PointPlace(number(a))
			_, y := flugelrad.PointPlace(number(b))
			return x - y
		})
		return places
	}
	for col := range rows[0] {
		places = append(places, string(rune('a'+col))+name)
	}
	return places
}

func number(s string) (n int) { fmt.Sscan(s, &n); return n }

func (r *transcriptReader) only(places []string) map[string]string {
	found := map[string]string{}
	for _, p := range places {
		if r.board[p] != "" {
			found[p] = r.board[p]
		}
	}
	return found
}

// questions asks everything about the position and answers it from the transcript.
func (r *transcriptReader) questions(n int) {
	r.t.Helper()
	wheels := r.game.About().ID == "flugelrad"
	expect := func(question string, got, want any) {
		r.t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			r.t.Errorf("after %v: %s answers\n%v, the reader\n%v", r.moves, question, got, want)
		}
	}
	rows := 7
	cols := 0
	if !wheels {
		rows, cols = len(r.pos.Rows()), len(r.pos.Rows()[0])
	}
	row := fmt.Sprint(n%rows + 1)
	expect("row "+row, r.contents(strings.Join(r.asks("row "+row), " "), r.row(row)), r.only(r.row(row)))
	whole := map[string]string{}
	for _, line := range r.asks("board") {
		if v := r.verbs(line, "Row %s: "); len(v) > 0 {
			maps.Copy(whole, r.contents(line, r.row(v[0][0])))
		} else if v := regexp.MustCompile(`(\d+):`).FindStringSubmatch(line); v != nil {
			maps.Copy(whole, r.contents(line, r.row(v[1])))
		}
	}
	expect("board", whole, r.board)
	place := r.row(row)[n%len(r.row(row))]
	what := strings.Join(r.asks("what "+place), " ")
	stands := r.say.T("empty")
	r.owned(func(owner, name, phrase string) {
		if r.board[place] == owner+name {
			stands = phrase
		}
	})
	if want := place + ": " + stands + "."; !strings.HasPrefix(what, want) {
		r.t.Errorf("what %s answers %q, the reader %q", place, what, want)
	}
	var next []string
	if wheels {
		wheel := fmt.Sprint(n % flugelrad.Wheels)
		expect("wheel "+wheel, r.contents(strings.Join(r.asks("wheel "+wheel), " "), r.wheel(wheel)), r.only(r.wheel(wheel)))
		for p, q := range flugelrad.Links() {
			if fmt.Sprint(p) == place {
				next = append(next, fmt.Sprint(q))
			}
			if fmt.Sprint(q) == place {
				next = append(next, fmt.Sprint(p))
			}
		}
	} else {
		column := string(rune('a' + n%cols))
		var in []string
		for i := range rows {
			in = append(in, column+fmt.Sprint(i+1))
		}
		expect("column "+column, r.contents(strings.Join(r.asks("column "+column), " "), in), r.only(in))
		for dc := -1; dc <= 1; dc++ {
			for dr := -1; dr <= 1; dr++ {
				next = append(next, string(rune(int(place[0])+dc))+fmt.Sprint(number(place[1:])+dr))
			}
		}
		next = slices.DeleteFunc(next, func(s string) bool { return s == place })
	}
	expect("around "+place, r.contents(strings.Join(r.asks("around "+place), " "), nil), r.only(next))
	var mine, other []string
	for p, of := range r.board {
		if strings.HasPrefix(of, yours) {
			mine = append(mine, p)
		} else {
			other = append(other, p)
		}
	}
	expect("mine", r.list(r.asks("mine")), r.only(mine))
	expect("theirs", r.list(r.asks("theirs")), r.only(other))
	expect("where", r.list(r.asks("where")), r.board)
	count := strings.Join(r.asks("count"), " ")
	for _, n := range []int{len(mine), len(other)} {
		if !regexp.MustCompile(fmt.Sprintf(`: %d `, n)).MatchString(count) {
			r.t.Errorf("count answers %q, the reader %d and %d", count, len(mine), len(other))
		}
	}
	legal := map[string]bool{}
	for _, m := range r.pos.Legal() {
		legal[string(m)] = true
	}
	told := map[string]bool{}
	for _, m := range r.movesTold() {
		told[m] = true
	}
	expect("moves", told, legal)
	if got := r.asks("last"); len(r.moves) >= 2 && !strings.Contains(got[len(got)-1], fmt.Sprint(len(r.moves))) {
		r.t.Errorf("last answers %q after %d moves", got, len(r.moves))
	}
	expect("clock", r.asks("clock"), []string{r.say.T("This match has no clock.")})
	if got := strings.Join(r.asks("players"), " "); !strings.Contains(got, "ana") || !strings.Contains(got, opponentName) {
		r.t.Errorf("players answers %q", got)
	}
	r.threats()
	r.called()
	r.reach(place)
	for _, places := range [][]string{mine, other} {
		if slices.Sort(places); len(places) > 0 {
			r.reach(places[n%len(places)])
		}
	}
	r.why()
}

// called asks where pieces are by what they are called, one and several, in the language of the transcript and in English.
func (r *transcriptReader) called() {
	r.t.Helper()
	where := func(word string, want map[string]string) {
		r.t.Helper()
		if got := r.list(r.asks("where " + word)); !maps.Equal(got, want) {
			r.t.Errorf("after %v: where %s answers %v, the reader %v", r.moves, word, got, want)
		}
	}
	names := pieceNames[r.game.About().ID]
	for _, name := range names {
		want := map[string]string{}
		for place, of := range r.board {
			if strings.HasSuffix(of, name) {
				want[place] = of
			}
		}
		where(name, want)
		where(strings.ToUpper(r.say.T(plurals[name])), want)
	}
	where(r.say.T("pieces"), r.board)
	where(text.ASCII(r.say.T("piece")), r.board)
	if len(names) > 1 {
		where(r.say.T("tank"), r.board)
	}
	word := r.say.T("wheels")
	if r.game.About().ID != "flugelrad" {
		if got := strings.Join(r.asks("where "+word), " "); !strings.Contains(got, strconv.Quote(word)) {
			r.t.Errorf("where %s answers %q on a board without wheels", word, got)
		}
		return
	}
	lines := r.asks("where " + word)
	for wheel := range flugelrad.Wheels {
		ring := r.wheel(fmt.Sprint(wheel))
		if got, want := r.contents(lines[wheel], ring), r.only(ring); !maps.Equal(got, want) {
			r.t.Errorf("where %s answers of wheel %d %v, the reader %v", word, wheel, got, want)
		}
	}
}

// within returns the words in place of the verb of a sentence; ok is false if the words are no such sentence.
func (r *transcriptReader) within(words, sentence string) (list []string, ok bool) {
	before, after, _ := strings.Cut(r.say.T(sentence), "%s")
	words = regexp.MustCompile(` \([^)]*\)`).ReplaceAllString(words, "")
	_, words, ok = strings.Cut(words, before)
	words, found := strings.CutSuffix(words, after)
	return strings.Split(words, ", "), ok && found
}

// reach asks which moves begin or end on a place, in both ways, and looks for itself.
func (r *transcriptReader) reach(place string) {
	r.t.Helper()
	answer := strings.Join(r.asks("where "+place), " ")
	if r.game.About().ID == "flugelrad" {
		r.turnsOf(place, answer)
		return
	}
	if again := strings.Join(r.asks("moves "+strings.ToUpper(place)), " "); again != answer {
		r.t.Errorf("moves %s answers %q, where %q", place, again, answer)
	}
	var from, to, on []string
	for _, m := range r.pos.Legal() {
		begins, ends, moves := strings.Cut(strings.Replace(string(m), "x", "-", 1), "-")
		switch {
		case moves && begins == place:
			to = append(to, ends)
		case moves && ends == place:
			from = append(from, begins)
		case !moves && begins == place:
			on = append(on, string(m))
		}
	}
	sentence, want := "You can move it to %s.", to
	if len(to) == 0 {
		sentence, want = "You can move there from %s.", from
	}
	if len(on) > 0 {
		sentence, want = "You can play %s.", on
	}
	got, said := r.within(answer, sentence)
	slices.Sort(got)
	slices.Sort(want)
	switch {
	case len(want) > 0 && (!said || !slices.Equal(got, want)):
		r.t.Errorf("after %v: where %s answers %q, the reader %q with %v", r.moves, place, answer, sentence, want)
	case len(want) == 0 && answer != r.say.T("It can't move now.") && answer != r.say.T("You can't play there now.") && answer != r.say.T("No move begins or ends on %s now.", place):
		r.t.Errorf("after %v: where %s answers %q, but no move begins or ends there", r.moves, place, answer)
	}
}

// turnsOf verifies the answer about a point of Flügelrad: where each turn moves what is on it. It asks for the turns of a wheel, too.
func (r *transcriptReader) turnsOf(place, answer string) {
	r.t.Helper()
	on := func(p games.Position, place int) byte { return p.Rows()[0][place-1] }
	told := 0
	for _, m := range regexp.MustCompile(`(\d:\d)\D+(\d+)`).FindAllStringSubmatch(answer, -1) {
		next, err := r.pos.Play(games.Move(m[1]))
		if err != nil || on(next, number(m[2])) != on(r.pos, number(place)) || !slices.Contains(r.wheel(m[1][:1]), m[2]) {
			r.t.Errorf("after %v: where %s answers %q: %s, %v", r.moves, place, answer, m[1], err)
		}
		told++
	}
	moves := 0
	byWheel := map[string][]string{}
	for _, m := range r.pos.Legal() {
		wheel := string(m[:1])
		byWheel[wheel] = append(byWheel[wheel], string(m))
		if slices.Contains(r.wheel(wheel), place) {
			moves++
		}
	}
	if told != moves {
		r.t.Errorf("after %v: where %s answers %q, the reader counts %d turns", r.moves, place, answer, moves)
	}
	for wheel := range flugelrad.Wheels {
		wheel := fmt.Sprint(wheel)
		words := strings.Join(r.asks("moves "+wheel), " ")
		got, said := r.within(words, "You can play %s.")
		if want := byWheel[wheel]; len(want) > 0 && (!said || !slices.Equal(got, want)) || len(want) == 0 && words != r.say.T("Wheel %s can't be turned now.", wheel) {
			r.t.Errorf("after %v: moves %s answers %q, the reader %v", r.moves, wheel, words, want)
		}
	}
}

// why tries moves that the rules forbid, and asks why they are forbidden.
func (r *transcriptReader) why() {
	r.t.Helper()
	var tries []string
	for place := range r.board {
		tries = append(tries, place, place+"-"+place)
	}
	for wheel := range flugelrad.Wheels {
		tries = append(tries, fmt.Sprint(wheel)+":1")
	}
	slices.Sort(tries)
	for _, typed := range tries {
		m, err := r.pos.Read(typed)
		if err != nil {
			continue
		}
		_, err = r.pos.Play(m)
		illegal, ok := errors.AsType[*games.IllegalError](err)
		if !ok {
			continue
		}
		rule := r.say.T(illegal.Format, illegal.Args...)
		if got := strings.Join(r.asks(typed), " "); !strings.Contains(got, rule) {
			r.t.Errorf("after %v: %s answers %q, the rule is %q", r.moves, typed, got, rule)
		}
		if got, want := strings.Join(r.asks("why"), " "), r.say.T("%s was refused: %s.", string(m), rule); !strings.HasPrefix(got, want) {
			r.t.Errorf("after %v: why answers %q, the reader %q", r.moves, got, want)
		}
		r.refused++
		return
	}
}

// movesTold asks for the legal moves.
func (r *transcriptReader) movesTold() (moves []string) {
	words := strings.Join(r.asks("moves"), " ")
	_, words, _ = strings.Cut(words, ": ")
	for m := range strings.SplitSeq(strings.TrimSuffix(regexp.MustCompile(` \([^)]*\)`).ReplaceAllString(words, ""), "."), ", ") {
		moves = append(moves, m)
	}
	return moves
}

// threats asks what is threatened, and looks for itself what the reader could take or complete with each move.
func (r *transcriptReader) threats() {
	r.t.Helper()
	answers := r.asks("threats")
	want := map[string]bool{}
	side := r.pos.Turn()
	men := func(p games.Position) (n int) {
		sign := map[games.Side]string{games.First: "O", games.Second: "X"}[side]
		if r.game.About().ID == "tanks" {
			sign = map[games.Side]string{games.First: "mtd", games.Second: "MTD"}[side]
		}
		for _, row := range p.Rows() {
			for _, c := range row {
				if strings.ContainsRune(sign, c) {
					n++
				}
			}
		}
		return n
	}
	for _, m := range r.pos.Legal() {
		next, err := r.pos.Play(m)
		if err != nil {
			r.t.Fatal(err)
		}
		if next.Result().Over || m != "swap" && men(next) < men(r.pos) {
			want[string(m)] = true
		}
	}
	got := map[string]bool{}
	words := regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(answers[0], "")
	for _, m := range strings.FieldsFunc(words, func(c rune) bool { return c == ' ' || c == ',' || c == '.' }) {
		if slices.Contains(r.pos.Legal(), games.Move(m)) { // 4Mation tells of places that can't be played at once too
			got[m] = true
		}
	}
	if !maps.Equal(got, want) {
		r.t.Errorf("after %v: threats answers %q, the reader %v\n%v", r.moves, answers, want, r.pos)
	}
}

// TestTranscripts: a program that reads only what the line mode prints plays a whole match of each game, knows the position after each move, and
// answers each question about it as the line mode does.
func TestTranscripts(t *testing.T) {
	tests := []struct{ game, language string }{
		{"momentum", "en"}, {"petteia", "en"}, {"fourmation", "en"}, {"flugelrad", "en"}, {"tanks", "en"}, {"tanks", "de"}, {"petteia", "de"}, {"petteia", "pt"},
	}
	for _, tt := range tests {
		t.Run(tt.game+" "+tt.language, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playTranscript(newTranscript(t, tt.game, tt.language)) })
		})
	}
}

// mostPlies is where a match between two who play any move is given up.
const mostPlies = 60

func playTranscript(r *transcriptReader) {
	defer r.prompt.leaves(false)
	random := games.NewRandom(11)
	r.board = r.list(r.asks("play " + r.game.About().ID + " dice"))
	r.check()
	for ply := 0; !r.pos.Result().Over && ply < mostPlies; ply += 2 {
		if ply%10 == 0 {
			r.questions(ply)
		}
		moves := r.movesTold()
		lines := r.asks(moves[random.N(len(moves))])
		r.told(yours, lines[0])
		if !r.pos.Result().Over {
			r.told(theirs, strings.Join(lines[1:], " "))
		}
	}
	if r.refused == 0 {
		r.t.Error("no move was refused")
	}
	if !r.pos.Result().Over {
		if got := r.asks("resign"); !slices.Contains(got, r.say.T("You resigned. %s wins.", opponentName)) {
			r.t.Errorf("resign answers %q", got)
		}
	}
	if all := r.all.String(); strings.ContainsFunc(all, func(c rune) bool { return c < ' ' && c != '\n' || c >= 0x2500 && c < 0x2600 }) {
		r.t.Errorf("the transcript has a control character or a box:\n%q", all)
	}
}

// TestLessonInLineMode: a lesson is taken move by move; a wrong move has its own word, next and goto lead through the steps, questions are about the
// step, and commands about a match ask for one.
func TestLessonInLineMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTranscript(t, "petteia", "en")
		defer r.prompt.leaves(false)
		for _, tt := range []struct{ line, want string }{
			{"lesson petteia", "Petteia, step 1 of 9: Move like a rook"},
			{"what a1", "a1: your man."},
			{"a1a2", "Not a1-a2."},
			{"hint", "A right move: a1-a7"},
			{"a1a1", "the man must move"},
			{"why", "a1-a1 was refused"},
			{"a1a7", "a1-a7 is right."},
			{"clock", "There is no clock here."},
			{"players", "There is no match here"},
			{"resign", "Which match?"},
			{"goto 9", "step 9 of 9"},
			{"next", "The lesson has the steps 1 to 9."},
			{"back", "step 8 of 9"},
			{"lobby", "You are in the lobby."},
			{"lesson petteia", "step 2 of 9"},
		} {
			if got := strings.Join(r.asks(tt.line), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("%s answers\n%s\nwant %q", tt.line, got, tt.want)
			}
		}
	})
}

// TestReviewInLineMode: a finished match is looked through move by move, and questions are about the position that the user is at.
func TestReviewInLineMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTranscript(t, "petteia", "en")
		defer r.prompt.leaves(false)
		if got := strings.Join(r.asks("review"), " "); !strings.Contains(got, "You have no finished match yet.") {
			t.Errorf("without a finished match review answers %q", got)
		}
		r.asks("play petteia dice")
		for _, m := range []string{"a1a2", "b1b2", "c1c2"} {
			r.asks(m)
		}
		r.asks("resign")
		for _, tt := range []struct{ line, want string }{
			{"review", "The beginning of the match; 6 moves follow."},
			{"what a1", "a1: your man."},
			{"next", "Move 1 of 6: You move a1 to a2."},
			{"what a2", "a2: your man."},
			{"back", "The beginning of the match"},
			{"back", "This is the beginning."},
			{"goto 6", "Dice wins"},
			{"next", "This is the end: the match has 6 moves."},
			{"d1d2", "This match is over"},
			{"hint", "which moves were mistakes: analyse"},
			{"last", "Dice moves"},
			{"lobby", "You are in the lobby."},
			{"next", "You are looking through no match."},
			{"review", "The beginning of the match; 6 moves follow."},
			{"lobby", "You are in the lobby."},
			{"puzzle petteia", "Petteia"},
			{"review", "The beginning of the match; 6 moves follow."},
		} {
			if got := strings.Join(r.asks(tt.line), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("%s answers\n%s\nwant %q", tt.line, got, tt.want)
			}
		}
	})
}
