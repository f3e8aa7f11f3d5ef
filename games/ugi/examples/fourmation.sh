#!/bin/sh
# An engine for 4Mation in plain shell. It plays next to the last piece, as the rules want, and knows nothing else of the game.
# Try it: ludoteca arena 4mation "ugi:sh games/ugi/examples/fourmation.sh" random
columns=abcdefghijklmnopqrstuvwxyz cols=7 rows=7

cell() { # sets cell to the one in column $1, from 0 on, and row $2
	cell=$columns i=0; while [ $i -lt $1 ]; do cell=${cell#?} i=$((i + 1)); done
	cell=${cell%"${cell#?}"}$2
}

position() { # position startpos|fen TEXT [moves MOVE ...]
	taken=' ' last=- moving= # a text names other sizes
	[ "$1" = fen ] && cols=7 rows=7
	for word; do
		case $word in
		moves) moving=yes ;;
		cols=* | rows=* | last=*) eval "${word%%=*}=\${word#*=}" ;;
		*/*) board "$word" ;;
		*) [ "$moving" ] && taken="$taken$word " last=$word ;;
		esac
	done
}

board() { # notes the pieces of a board, whose top row is first
	text=$1/ r=$rows
	while [ "$text" ]; do
		row=${text%%/*} text=${text#*/} c=0
		while [ "$row" ]; do
			case $row in [XO]*) cell $c $r && taken="$taken$cell " ;; esac
			row=${row#?} c=$((c + 1))
		done
		r=$((r - 1))
	done
}

move() { # sets cell to a free one next to the last piece, or to the middle if there is none
	cell $((cols / 2)) $((rows / 2 + 1)) && [ "$last" = - ] && return
	before=${columns%%"${last%%[0-9]*}"*} r=${last#?}
	for dc in 0 -1 1; do
		for dr in 1 0 -1; do
			x=$((${#before} + dc)) y=$((r + dr))
			[ $x -ge 0 ] && [ $x -lt "$cols" ] && [ $y -ge 1 ] && [ $y -le "$rows" ] || continue
			cell $x $y
			case $taken in *" $cell "*) ;; *) return ;; esac
		done
	done
}

while read -r command arguments; do
	set -f -- $arguments
	case $command in
	ugi) printf 'id name Shell\noption name cols type spin default 7 min 3 max 26\noption name rows type spin default 7 min 3 max 26\nugiok\n' ;;
	isready) echo readyok ;;
	setoption) case $2 in cols | rows) eval "$2=\$4" ;; esac ;;
	position) position "$@" ;;
	go) move && echo "bestmove $cell" ;;
	quit) exit ;;
	esac
done
