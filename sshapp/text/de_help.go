package text

// deHelp are the words about computer players and the help they give, in German.
var deHelp = map[string]string{
	"A hint is on its way already.":                                              "Ein Tipp ist schon unterwegs.",
	"Hints and takebacks are for casual matches against a computer player only.": "Tipps und Rücknahmen gibt es nur in freien Partien gegen einen Computer.",
	"That was enough: no more moves can be taken back in this match.":            "Das war genug: In dieser Partie wird nichts mehr zurückgenommen.",
	"The game is over after these moves. Choose an earlier position.":            "Nach diesen Zügen ist das Spiel zu Ende. Wähle eine frühere Stellung.",
	"There is no move of yours to take back.":                                    "Du hast keinen Zug, den du zurücknehmen könntest.",
}
