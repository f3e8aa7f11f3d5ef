# An engine for 4Mation in awk. It plays on any of the free cells next to the last piece.
# Try it: ludoteca arena 4mation "ugi:awk -f games/ugi/examples/fourmation.awk" random
# Some awks read ahead of what was sent: so a shell reads each line.
BEGIN {
	columns = "abcdefghijklmnopqrstuvwxyz"; cols = rows = 7
	input = "IFS= read -r line && printf '%s\\n' \"$line\""
	while ((input | getline line) > 0) {
		close(input)
		obey(line)
		fflush()
	}
}

function obey(line,   w) {
	split(line, w, " ")
	if (w[1] == "ugi") {
		print "id name Awk"
		print "option name cols type spin default 7 min 3 max 26"
		print "option name rows type spin default 7 min 3 max 26"
		print "option name Seed type spin default 0 min 0 max 2147483647"
		print "ugiok"
	} else if (w[1] == "isready") print "readyok"
	else if (w[1] == "setoption" && w[3] == "cols") cols = w[5]
	else if (w[1] == "setoption" && w[3] == "rows") rows = w[5]
	else if (w[1] == "setoption" && w[3] == "Seed") srand(w[5])
	else if (w[1] == "position") position(line)
	else if (w[1] == "go") print "bestmove " choose()
	else if (w[1] == "quit") exit
}

function position(line,   w, n, i, moving) {
	split("", taken); last = "-"
	n = split(line, w, " ")
	if (w[2] == "fen") cols = rows = 7 # the text names other sizes
	for (i = 2; i <= n; i++) {
		if (w[i] == "moves") moving = 1
		else if (w[i] ~ /^cols=/) cols = substr(w[i], 6) + 0
		else if (w[i] ~ /^rows=/) rows = substr(w[i], 6) + 0
		else if (w[i] ~ /^last=/) last = substr(w[i], 6)
		else if (w[i] ~ /\//) board(w[i])
		else if (moving) { taken[w[i]] = 1; last = w[i] }
	}
}

function board(text,   row, n, i, c) { # the top row comes first
	n = split(text, row, "/")
	for (i = 1; i <= n; i++) for (c = 1; c <= length(row[i]); c++)
		if (substr(row[i], c, 1) != ".") taken[substr(columns, c, 1) (n + 1 - i)] = 1
}

function choose(   c, r, lastc, cell, free, n) {
	lastc = index(columns, substr(last, 1, 1))
	for (c = 1; c <= cols; c++) for (r = 1; r <= rows; r++) {
		cell = substr(columns, c, 1) r
		if (cell in taken || last != "-" && ((c - lastc) ^ 2 > 1 || (r - substr(last, 2)) ^ 2 > 1)) continue
		free[n++] = cell
	}
	return free[int(rand() * n)]
}
