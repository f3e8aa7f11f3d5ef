package text

// ptHelp are the words about computer players and the help they give, in Portuguese.
var ptHelp = map[string]string{
	"A hint is on its way already.":                                              "Já vem uma sugestão a caminho.",
	"Hints and takebacks are for casual matches against a computer player only.": "Sugestões e jogadas atrás só há em partidas livres contra o computador.",
	"That was enough: no more moves can be taken back in this match.":            "Já chega: nesta partida não se volta mais atrás.",
	"The game is over after these moves. Choose an earlier position.":            "O jogo acaba com estas jogadas. Escolhe uma posição anterior.",
	"There is no move of yours to take back.":                                    "Não há nenhuma jogada tua para voltar atrás.",
}
