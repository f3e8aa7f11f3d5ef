package command

import (
	"testing"

	"ludoteca/sshapp/wording"
)

// TestLimitsAreRefusedInWords: an operator hears in their language why a limit can't be changed.
func TestLimitsAreRefusedInWords(t *testing.T) {
	for _, tt := range []struct {
		err              LimitError
		english, pt, deu string
	}{
		{LimitError{Problem: LimitUnknown, Name: "x"}, "There is no such limit. Without NAME=VALUE all are listed.",
			"Esse limite não existe. Sem NAME=VALUE são listados todos.", "Dieses Limit gibt es nicht. Ohne NAME=VALUE werden alle aufgelistet."},
		{LimitError{Problem: LimitHeld, Name: "max-moves"}, "max-moves can't be changed while the club runs. Give it to serve at the next start.",
			"max-moves não pode ser alterado com o clube aberto. Indica-o a serve no próximo arranque.",
			"max-moves kann nicht geändert werden, solange der Club läuft. Gib den Wert beim nächsten Start bei serve an."},
		{LimitError{Problem: LimitValue, Name: "max-sessions", Value: "many\x1b", Other: "1000"}, `max-sessions can't be "many\x1b". Its default is 1000.`,
			`max-sessions não pode ser "many\x1b". O valor predefinido é 1000.`, `max-sessions kann nicht "many\x1b" sein. Der Standardwert ist 1000.`},
		{LimitError{Problem: LimitZero, Name: "max-sessions"}, "max-sessions must be more than 0.",
			"max-sessions tem de ser maior do que 0.", "max-sessions muss größer als 0 sein."},
		{LimitError{Problem: LimitShort, Name: "new-accounts-window", Other: "new-accounts"}, "new-accounts-window is too short for new-accounts.",
			"new-accounts-window é demasiado curto para new-accounts.", "new-accounts-window ist zu kurz für new-accounts."},
	} {
		for language, want := range map[string]string{"en": tt.english, "pt": tt.pt, "de": tt.deu} {
			if got := tt.err.words(wording.In(language)); got != want {
				t.Errorf("%s: %q, want %q", language, got, want)
			}
		}
	}
}
