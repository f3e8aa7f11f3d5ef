package command

import (
	"bytes"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludoteca/lobby"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// TestSentencesAreTranslated reads the sources of this package. A literal of two or more words is for people, so it must be an argument of T;
// text's own test checks that every language has it.
func TestSentencesAreTranslated(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, below...)
	found := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := gotoken.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		said, untranslated := sentencesIn(f)
		found += said
		for _, lit := range untranslated {
			t.Errorf("%v: %s is said in English only", set.Position(lit.Pos()), lit.Value)
		}
	}
	if found < 100 {
		t.Errorf("only %d sentences found", found)
	}
}

// TestSentencesIn makes sure that the check above would find something.
func TestSentencesIn(t *testing.T) {
	const source = `package p
func f() {
	printf("%s has won\n", say.T("the first side"))
	errors.New("no such thing")
	x := refusal{codeNotFound, "Nobody is here."}
	y := row{Name: "new", Usage: "GAME and more", Summary: text.T("open a match")}
}`
	f, err := parser.ParseFile(gotoken.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	said, untranslated := sentencesIn(f)
	var got []string
	for _, lit := range untranslated {
		got = append(got, lit.Value)
	}
	if said != 2 || strings.Join(got, " ") != `"%s has won\n" "Nobody is here."` {
		t.Errorf("%d sentences found, and %q in English only", said, got)
	}
}

var twoWords = regexp.MustCompile(`[A-Za-z']{2,} [a-z]{2,}`)

// sentencesIn counts the translated sentences of a file, and returns the other ones. It skips the words of errors and warnings, which are for the log,
// the usage of a command and its example, which are the same in each language, and the help that only the program itself prints.
func sentencesIn(f *ast.File) (said int, untranslated []*ast.BasicLit) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // its tag
			return false
		case *ast.FuncDecl:
			return !slices.Contains([]string{"Cobra", "Markdown", "Man", "withDefault"}, n.Name.Name)
		case *ast.ValueSpec: // the audit log has it in English
			return n.Names[0].Name != "ControlSocket"
		case *ast.KeyValueExpr:
			key, _ := n.Key.(*ast.Ident)
			return key == nil || key.Name != "Usage" && key.Name != "Example"
		case *ast.CallExpr:
			name := ""
			switch called := n.Fun.(type) {
			case *ast.Ident:
				name = called.Name
			case *ast.SelectorExpr:
				name = called.Sel.Name
			}
			switch name {
			case "T", "C", "N":
				said++
				return false
			case "New", "Errorf", "Error", "Warn":
				return false
			}
		case *ast.BasicLit:
			if words, err := strconv.Unquote(n.Value); err == nil && n.Kind == gotoken.STRING && twoWords.MatchString(words) {
				untranslated = append(untranslated, n)
			}
		}
		return true
	})
	return said, untranslated
}

// TestLanguageOfCommands: people without an account read the language of their client, and players the one that they have chosen.
// JSON is the same in each.
func TestLanguageOfCommands(t *testing.T) {
	h := newFixture(t)
	h.run.options.Status = func() status.Status { return status.Status{} }
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	h.twoEach(code, "ana", "rui")
	h.as("rui", Done, "resign "+code)
	open := h.object("rui", "new tanks --side second --json")["code"].(string)
	short := h.object("ana", "new 4mation --vs first --json")["code"].(string)
	h.as("ana", Done, "resign "+short)
	run := func(name string, say wording.Words, line string) (all string) {
		t.Helper()
		who := key(name)
		who.Locale, who.Operator = say, name == "ana"
		var b bytes.Buffer
		h.run.Run(t.Context(), who, line, &b, &b)
		return b.String()
	}
	tests := []struct{ who, line, english, portuguese, german string }{
		{"guest", "help", "how a game is played", "como se joga um jogo", "wie man ein Spiel spielt"},
		{"guest", "help show", "A match as it is now", "Uma partida como está agora", "Eine Partie, wie sie jetzt steht"},
		{"guest", "games", "Cells along each side", "Casas de cada lado", "Felder an jeder Seite"},
		{"guest", "games", "even numbers from 6 to 26", "números pares de 6 a 26", "gerade Zahlen von 6 bis 26"},
		{"guest", "rules tanks", "tank", "tanque", "Panzer"},
		{"guest", "whoami", "a guest: connect with a key", "convidado: liga-te com uma chave", "Gast: Verbinde dich"},
		{"guest", "show " + open, "waiting for somebody to join", "à espera de que alguém entre", "wartet, bis jemand mit dem Code"},
		{"guest", "show " + code, "ana wins: rui resigned", "ana ganha: rui desistiu", "ana gewinnt: rui hat aufgegeben"},
		{"guest", "show ZZZZZZ", "Nobody here knows the code", "Ninguém aqui conhece o código", "Niemand hier kennt den Code"},
		{"guest", "new tanks", "a seat needs a key", "é preciso uma chave", "Dafür braucht es einen Schlüssel"},
		{"guest", "move", "Which match? Usage: move CODE MOVE [--json]", "Que partida? Utilização: move", "Welche Partie? Aufruf: move"},
		{"guest", "banana", "There is no command \"banana\". The commands are", "Não há o comando", "Den Befehl \"banana\" gibt es nicht"},
		{"guest", "history --limit", "--limit needs a value.", "--limit precisa de um valor.", "--limit braucht einen Wert."},
		{"guest", "history --limit x", "--limit can't be \"x\".", "--limit não pode ser", "--limit kann nicht \"x\" sein."},
		{"guest", "history", "rui resigned", "rui desistiu", "rui hat aufgegeben"},
		{"guest", "history", "4 moves ", "4 lances ", "4 Züge "},
		{"guest", "show " + short, "too short to be kept", "curta demais para ser guardada", "zu kurz und bleibt nur eine Stunde erhalten"},
		{"guest", "leaderboard tanks", "nobody has played", "ainda ninguém jogou", "noch hat niemand"},
		{"guest", "profile nemo", "Nobody here is called", "Ninguém aqui se chama", "Niemand hier heißt"},
		{"guest", "analyse " + open, "This match is not over yet", "Esta partida ainda não acabou", "Diese Partie ist noch nicht zu Ende"},
		{"ana", "new tanks size=7", "size 7 isn't allowed: even numbers", "size 7 não é permitido: números pares", "size 7 ist nicht erlaubt: gerade Zahlen"},
		{"ana", "operator reports", "No open reports.", "Não há queixas por tratar.", "Keine offenen Meldungen."},
		{"ana", "operator", "lift a ban", "levantar um banimento", "eine Sperre aufheben"},
		{"ana", "operator banana", "There is no verb", "Não há o verbo", "Das Verb"},
		{"ana", "operator player rui", "unfinished ", "por acabar ", "unbeendet "},
		{"ana", "status", "between people", "entre pessoas", "zwischen Menschen"},
		{"rui", "matches", "waiting for somebody", "à espera de que alguém", "wartet, bis jemand"},
	}
	for _, tt := range tests {
		for i, want := range []string{tt.english, tt.portuguese, tt.german} {
			say := wording.In([]string{"en", "pt", "de"}[i])
			if got := run(tt.who, say, tt.line); !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", tt.line, got, want)
			}
			got, english := run(tt.who, say, tt.line+" --json"), run(tt.who, wording.Words{}, tt.line+" --json")
			if strings.HasPrefix(got, `{"error":`) { // the message is for people, the code is not
				got, _, _ = strings.Cut(got, `"message"`)
				english, _, _ = strings.Cut(english, `"message"`)
			}
			if got != english && strings.HasPrefix(got, "{") {
				t.Errorf("%s --json depends on the language: %q, in English %q", tt.line, got, english)
			}
		}
	}

	who, settings, err := h.run.lobby.Accounts.SignIn(t.Context(), key("rui").Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	settings.Language = "de"
	if err := h.run.lobby.Accounts.SaveSettings(t.Context(), who, settings); err != nil {
		t.Fatal(err)
	}
	if got := run("rui", wording.In("pt"), "matches"); !strings.Contains(got, "wartet, bis jemand") {
		t.Errorf("an account in German with a client in Portuguese reads %q", got)
	}
}

// TestColumnsAreMeasuredInCells: words with letters of more than one byte or of two cells keep the columns.
func TestColumnsAreMeasuredInCells(t *testing.T) {
	lines := 0
	for line := range strings.Lines(reply.Align([]string{"à espera\tx", "waiting for you\tx", "王さん\tx"})) {
		lines++
		before, _, _ := strings.Cut(line, "x")
		if got := text.Width(before); got != len("waiting for you  ") {
			t.Errorf("%q: x stands after %d cells", line, got)
		}
	}
	if lines != 3 {
		t.Errorf("%d lines, want 3", lines)
	}
}

// TestEveryErrorHasTheLanguage: refusals of the lobby come in the language of the client.
func TestEveryErrorHasTheLanguage(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	who := key("ana")
	who.Locale = wording.In("pt")
	var out, complaints bytes.Buffer
	if got := h.run.Run(t.Context(), who, "join "+code, &out, &complaints); got != Refused {
		t.Fatalf("status %d: %s%s", got, out.String(), complaints.String())
	}
	if want := wording.In("pt").Error(lobby.ErrOwnOffer) + "\n"; complaints.String() != want {
		t.Errorf("complains %q, want %q", complaints.String(), want)
	}
	if got := shownName(wording.In("de"), storage.Occupant{Kind: storage.Bot, Name: "Meister"}); got != "Meister (bot)" {
		t.Errorf("a computer player is shown as %q", got)
	}
}

// TestWhoMovesFirst: commands tell who moves first in the words of the screens.
func TestWhoMovesFirst(t *testing.T) {
	h := newFixture(t)
	for language, want := range map[string][2]string{
		"en": {"you play first", "you play second"}, "pt": {"jogas em primeiro", "jogas em segundo"}, "de": {"du ziehst an", "du ziehst nach"},
	} {
		for i, side := range []string{"first", "second"} {
			for _, line := range []string{"new 4mation --side " + side, "new 4mation --vs first --side " + side} {
				who := key("ana-" + language + "-" + side)
				who.Locale = wording.In(language)
				var answer bytes.Buffer
				if status := h.run.Run(t.Context(), who, line, &answer, &answer); status != Done || !strings.Contains(answer.String(), ", "+want[i]+". ") {
					t.Errorf("%s: %s prints %q, want %q", language, line, answer.String(), want[i])
				}
			}
		}
	}
}

// TestNobodyYet: a free seat has no name, so a table has words for it.
func TestNobodyYet(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new tanks --side first --json")["code"].(string)
	for language, want := range map[string]struct{ listed, shown string }{
		"en": {"  nobody yet  waiting for somebody to join", "ana (Bottom) - nobody yet (Top)"},
		"pt": {"  ninguém ainda  à espera de que alguém entre", "ana (Baixo) - ninguém ainda (Cima)"},
		"de": {"  noch niemand  wartet, bis jemand mitspielt", "ana (Unten) - noch niemand (Oben)"},
	} {
		for line, words := range map[string]string{"matches": want.listed, "show " + code: want.shown} {
			who := key("ana")
			who.Locale = wording.In(language)
			var answer bytes.Buffer
			if h.run.Run(t.Context(), who, line, &answer, &answer); !strings.Contains(answer.String(), words) {
				t.Errorf("%s: %s prints %q, want %q", language, line, answer.String(), words)
			}
		}
	}
	if m := h.object("ana", "matches --json"); m["first"] != "ana" || m["second"] != "" {
		t.Errorf("matches --json has the names %q and %q", m["first"], m["second"])
	}
}
