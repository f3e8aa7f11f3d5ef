#!/usr/bin/env python3
"""An engine for 4Mation. It makes a line if it can, else keeps the other side from one, else plays at random.
Try it: ludoteca arena 4mation "ugi:python3 games/ugi/examples/fourmation.py" greedy"""
import random, sys
options = {"cols": 7, "rows": 7, "win_length": 4}
pieces, last = {}, None  # the side on each cell; the last cell. A cell is (column, row), both from 0 on

def cell(text):
    return ord(text[0]) - ord("a"), int(text[1:]) - 1

def position(words):
    global last
    last, moves = pieces.clear(), (words + ["moves"]).index("moves")
    if words[0] == "fen":  # its text names the options that are not the usual ones
        options.update(cols=7, rows=7, win_length=4)
    for word in words[:moves]:
        key, _, value = word.partition("=")
        if key in options:
            options[key] = int(value)
        elif key == "last" and value != "-":
            last = cell(value)
        elif "/" in word:
            pieces.update({(c, r): "XO".index(p) for r, row in enumerate(reversed(word.split("/"))) for c, p in enumerate(row) if p != "."})
    for last in map(cell, words[moves + 1:]):
        pieces[last] = len(pieces) % 2

def legal():
    board = ((c, r) for c in range(options["cols"]) for r in range(options["rows"]))
    return [p for p in board if p not in pieces and (not last or max(abs(p[0] - last[0]), abs(p[1] - last[1])) == 1)]

def line(where, side):  # whether a piece of the side makes one there
    run = lambda dc, dr, n=1: run(dc, dr, n + 1) if pieces.get((where[0] + n * dc, where[1] + n * dr)) == side else n - 1
    return any(run(dc, dr) + run(-dc, -dr) + 1 >= options["win_length"] for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1)))

def choose():
    side, moves = len(pieces) % 2, legal()
    return random.choice([m for m in moves if line(m, side)] or [m for m in moves if line(m, 1 - side)] or moves)

def answer(about):
    over = (won := bool(last) and line(last, pieces[last])) or not legal()
    result = f"p{pieces[last] + 1}win" if won else "draw" if over else "none"
    return {"p1turn": str(len(pieces) % 2 == 0).lower(), "gameover": str(over).lower(), "result": result}.get(about, "unknown")

for command, *words in filter(None, map(str.split, iter(sys.stdin.readline, ""))):
    if command == "ugi":
        print("id name Python", *(f"option name {o} type spin default {v} min 3 max 26" for o, v in options.items()), "ugiok", sep="\n")
    elif command == "setoption":
        options[words[1]] = int(words[3])
    elif command == "position":
        position(words)
    elif command == "isready":
        print("readyok")
    elif command == "query":
        print("response", answer(words[0]))
    elif command == "go":
        c, r = choose()
        print(f"bestmove {chr(ord('a') + c)}{r + 1}")
    elif command == "quit": break
    sys.stdout.flush()
