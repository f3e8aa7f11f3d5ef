#!/bin/sh
# An engine for any game in plain shell: sh any.sh GAME [key=value ...]. It plays some legal move; ludoteca replay says which there are.
# Try it: ludoteca arena petteia "ugi:sh games/ugi/examples/any.sh petteia" random
from='' moves=''

position() { # position startpos|fen TEXT [moves MOVE ...]
	from='' moves='' moving=''
	for word; do
		case $word in
		startpos | fen) ;;
		moves) moving=yes ;;
		*) if [ "$moving" ]; then moves="$moves $word"; else from="${from:+$from }$word"; fi ;;
		esac
	done
}

move() { # prints a legal move: another one in each position
	echo "$moves" | ludoteca replay ${from:+--from "$from"} --json "$@" | tail -n 1 | sed 's/.*"legal":\["\([^]]*\)"\].*/\1/; s/","/ /g' |
		awk -v ply="$(echo "$moves" | wc -w)" '{ print $(ply * 7 % NF + 1) }'
}

while read -r command arguments; do
	case $command in
	ugi) printf 'id name Any game in shell\nugiok\n' ;;
	isready) echo readyok ;;
	position) set -f; position $arguments ;;
	go) echo "bestmove $(move "$@")" ;;
	quit) exit ;;
	esac
done
