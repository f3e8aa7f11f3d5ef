package ugi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
)

// A Reply is a line that an engine sends to a GUI. String returns the line without its end.
type Reply interface {
	fmt.Stringer
	isReply()
}

// The replies without arguments.
type (
	HelloOK struct{} // ends the introduction of an engine
	ReadyOK struct{} // answers IsReady
)

// ID says who an engine is: Key is "name" or "author".
type ID struct{ Key, Text string }

// An Option says what SetOption may change.
type Option struct {
	Name     string
	Type     string // spin, combo, check, string or button
	Default  string
	Min, Max int      // of a spin
	Values   []string // of a combo
}

// The types of options.
const (
	Spin   = "spin"   // a whole number
	Combo  = "combo"  // one of several values
	Check  = "check"  // true or false
	String = "string" // any text
	Button = "button" // has no value
)

// Info says how far a search is. What is zero is not said.
type Info struct {
	Depth, Nodes   int
	Time           time.Duration
	NodesPerSecond int
	Score          *Score // nil if it is not said
	Principal      []games.Move
	Text           string // for people; everything else is zero then
}

// A Score is what a position is worth to the side to move.
type Score struct {
	Mate  bool // Value is the number of moves to the end: below 0 for a loss
	Value int  // otherwise; a man or the like is some 100
}

// BestMove ends a search.
type BestMove struct{ Move games.Move }

// NoMove is the move of an engine that has none to make.
const NoMove games.Move = "0000"

// A Response answers a Query.
type Response struct{ Text string }

// replies are all replies by their first words: how each reads the words after that. The error of each is about its arguments.
var replies = map[string]func(words) (Reply, error){
	"ugiok":    func(words) (Reply, error) { return HelloOK{}, nil },
	"readyok":  func(words) (Reply, error) { return ReadyOK{}, nil },
	"id":       readID,
	"option":   readOption,
	"info":     readInfo,
	"bestmove": readBestMove,
	"response": func(w words) (Reply, error) { return Response{w.rest()}, nil },
}

// ParseReply reads a line. The error wraps ErrUnknown if it begins with no reply, and ErrSyntax if its reply is not written as it should
// be. An empty line is unknown.
func ParseReply(line string) (Reply, error) {
	w := wordsOf(line)
	name := w.next()
	read, ok := replies[name]
	if !ok {
		return nil, fmt.Errorf("%w reply %.40q", ErrUnknown, name)
	}
	r, err := read(w)
	if err != nil {
		return nil, fmt.Errorf("%s %w: %w", name, ErrSyntax, err)
	}
	return r, nil
}

func (HelloOK) isReply()  {}
func (ReadyOK) isReply()  {}
func (ID) isReply()       {}
func (Option) isReply()   {}
func (Info) isReply()     {}
func (BestMove) isReply() {}
func (Response) isReply() {}

func (HelloOK) String() string { return "ugiok" }
func (ReadyOK) String() string { return "readyok" }

func readID(w words) (Reply, error) {
	key := w.next()
	if key == "" {
		return nil, fmt.Errorf("it is id name TEXT or id author TEXT")
	}
	return ID{key, w.rest()}, nil
}

func (r ID) String() string { return strings.TrimRight("id "+plain(r.Key)+" "+plain(r.Text), " ") }

// readOption reads "name NAME type TYPE" and what follows: default, min and max each once, var for each value.
func readOption(w words) (Reply, error) {
	if w.next() != "name" {
		return nil, fmt.Errorf("it is option name NAME type TYPE")
	}
	var o Option
	if o.Name, _ = w.until("type"); o.Name == "" {
		return nil, fmt.Errorf("the name is missing")
	}
	o.Type = w.next()
	if !slices.Contains([]string{Spin, Combo, Check, String, Button}, o.Type) {
		return nil, fmt.Errorf("there are no options of the type %.40q", o.Type)
	}
	keys := []string{"default", "min", "max", "var"}
	_, key := w.until(keys...)
	for key != "" {
		var text string
		var err error
		this := key
		text, key = w.until(keys...)
		switch this {
		case "default":
			o.Default = text
		case "min":
			o.Min, err = strconv.Atoi(text)
		case "max":
			o.Max, err = strconv.Atoi(text)
		case "var":
			o.Values = append(o.Values, text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s of %.40q is no number", this, o.Name)
		}
	}
	return o, nil
}

func (r Option) String() string {
	line := "option name " + plain(r.Name) + " type " + r.Type
	if r.Type != Button {
		line = strings.TrimRight(line+" default "+plain(r.Default), " ")
	}
	if r.Type == Spin {
		line += fmt.Sprintf(" min %d max %d", r.Min, r.Max)
	}
	for _, v := range r.Values {
		line += " var " + plain(v)
	}
	return line
}

// readInfo reads what it knows and ignores the rest, by the custom of UCI. The words of pv and string go on to the end of the line.
func readInfo(w words) (Reply, error) {
	var r Info
	for len(w) > 0 {
		switch word := w.next(); word {
		case "depth":
			r.Depth = w.number()
		case "nodes":
			r.Nodes = w.number()
		case "nps":
			r.NodesPerSecond = w.number()
		case "time":
			r.Time = time.Duration(min(w.number(), maxMilliseconds)) * time.Millisecond
		case "score":
			r.Score = w.score()
		case "pv":
			for _, m := range w {
				r.Principal = append(r.Principal, games.Move(m))
			}
			w = nil
		case "string":
			return Info{Text: w.rest()}, nil
		}
	}
	return r, nil
}

// number takes a number from 0 on; 0 if there is none.
func (w *words) number() int {
	if len(*w) == 0 || !isNumber((*w)[0]) {
		return 0
	}
	n, _ := strconv.ParseInt(w.next(), 10, 64) // a larger one comes back as the largest
	return int(min(max(n, 0), maxNumber))
}

// score takes "cp N" or "mate N"; nil if it is neither.
func (w *words) score() *Score {
	if len(*w) < 2 || (*w)[0] != "cp" && (*w)[0] != "mate" {
		return nil
	}
	n, err := strconv.Atoi((*w)[1])
	if err != nil {
		return nil
	}
	s := &Score{Mate: w.next() == "mate", Value: n}
	w.next()
	return s
}

func (r Info) String() string {
	if r.Text != "" {
		return "info string " + plain(r.Text)
	}
	var line strings.Builder
	line.WriteString("info")
	if r.Depth > 0 {
		fmt.Fprintf(&line, " depth %d", r.Depth)
	}
	if s := r.Score; s != nil {
		kind := "cp"
		if s.Mate {
			kind = "mate"
		}
		fmt.Fprintf(&line, " score %s %d", kind, s.Value)
	}
	if r.Nodes > 0 {
		fmt.Fprintf(&line, " nodes %d", r.Nodes)
	}
	if r.NodesPerSecond > 0 {
		fmt.Fprintf(&line, " nps %d", r.NodesPerSecond)
	}
	if r.Time > 0 || r.Nodes > 0 {
		fmt.Fprintf(&line, " time %d", r.Time.Milliseconds())
	}
	if len(r.Principal) > 0 {
		line.WriteString(" pv")
		for _, m := range r.Principal {
			line.WriteString(" " + string(m))
		}
	}
	return line.String()
}

// readBestMove reads a move. Words after it, such as what the engine would ponder on, are ignored.
func readBestMove(w words) (Reply, error) {
	m := w.next()
	if m == "" {
		return nil, fmt.Errorf("the move is missing")
	}
	return BestMove{games.Move(m)}, nil
}

func (r BestMove) String() string { return "bestmove " + string(r.Move) }

func (r Response) String() string { return strings.TrimRight("response "+plain(r.Text), " ") }
