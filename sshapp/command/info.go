package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/storage"
)

func listGames(c *call) error {
	for _, g := range c.lobby().Games() {
		a := g.About()
		if err := c.printf("%s  %s\n  %s\n", a.ID, a.Name, a.Sentence); err != nil {
			return err
		}
		rows := make([]string, 0, len(a.Options))
		for _, o := range a.Options {
			rows = append(rows, fmt.Sprintf("    %s=%d\t%s\t%s", o.Key, o.Default, o.Range(), o.Help))
		}
		if err := c.table(rows); err != nil {
			return err
		}
		if err := c.listLevels(a.ID); err != nil {
			return err
		}
	}
	return nil
}

// listLevels prints the computer players of a game, with how strong they are where that has been measured.
func (c *call) listLevels(game string) error {
	var rows []string
	for _, l := range c.lobby().Levels() {
		strong := ""
		if n := l.Ratings[game]; n != 0 {
			strong = strconv.Itoa(n)
		}
		rows = append(rows, fmt.Sprintf("    --vs %s\t%s\t%s", l.ID, strong, l.Sentence))
	}
	return c.table(rows)
}

func rules(c *call) error {
	g, err := c.game(c.words[0])
	if err != nil {
		return err
	}
	return c.printf("%s\n\n%s\n", g.About().Name, strings.TrimSpace(g.About().HowTo))
}

func takeName(c *call) error {
	if c.caller.Fingerprint == "" {
		return refuse("A name needs a key: make one with ssh-keygen and connect again.")
	}
	who, err := c.signUp(c.words[0])
	if errors.Is(err, lobby.ErrHasAccount) {
		return refuse("Your key has a name here already: see whoami.")
	}
	if err != nil {
		return err
	}
	return c.printf("Welcome, %s.\n", who.Name)
}

type whoamiJSON struct {
	Name         string   `json:"name"`
	Guest        bool     `json:"guest"`
	Fingerprints []string `json:"fingerprints"`
	Since        *string  `json:"since"` // null without an account
}

func whoami(c *call) error {
	who, err := c.visitor()
	if err != nil {
		return err
	}
	w := whoamiJSON{Name: who.Name, Guest: who.Kind == storage.Guest, Fingerprints: []string{}}
	since := time.Time{}
	switch who.Kind {
	case storage.Person:
		p, err := c.lobby().Profile(c.ctx, who.Name)
		if err != nil {
			return err
		}
		keys, err := c.lobby().Fingerprints(c.ctx, who)
		if err != nil {
			return err
		}
		w.Fingerprints, w.Since = append(w.Fingerprints, keys...), jsonTime(p.Since)
		since = p.Since
	case storage.Free:
		w.Fingerprints = append(w.Fingerprints, c.caller.Fingerprint)
	}
	switch {
	case c.flags.json:
		return c.json(w)
	case who.Kind == storage.Guest:
		return c.printf("%s, a guest: connect with a key and your results are kept.\n", w.Name)
	case who.Kind == storage.Free:
		return c.printf("Somebody with a key that has no name here yet. Take one: name NAME\n%s\n", w.Fingerprints[0])
	}
	return c.printf("%s, here since %s\n%s\n", w.Name, stamp(since), strings.Join(w.Fingerprints, "\n"))
}

type standingJSON struct {
	Rating      float64 `json:"rating"`
	Deviation   float64 `json:"deviation"`
	Provisional bool    `json:"provisional"`
	Played      int     `json:"played"`
	Won         int     `json:"won"`
	Drawn       int     `json:"drawn"`
	Lost        int     `json:"lost"`
}

func standing(s lobby.Standing) standingJSON {
	return standingJSON{s.Rating, s.Deviation, s.Provisional, s.Played, s.Won, s.Drawn, s.Lost}
}

// cells are the columns of a standing in a table.
func (s standingJSON) cells() string {
	mark := ""
	if s.Provisional {
		mark = "?"
	}
	return fmt.Sprintf("%.0f%s\t±%.0f\t%d played\t%d won\t%d drawn\t%d lost", s.Rating, mark, 2*s.Deviation, s.Played, s.Won, s.Drawn, s.Lost)
}

func leaderboard(c *call) error {
	wanted := c.lobby().Games()
	if len(c.words) == 1 {
		g, err := c.game(c.words[0])
		if err != nil {
			return err
		}
		wanted = []games.Game{g}
	}
	for _, g := range wanted {
		lines, err := c.lobby().Leaderboard(c.ctx, g.About().ID)
		if err != nil {
			return err
		}
		if err := c.leaderboardOf(g.About(), lines); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) leaderboardOf(a *games.About, lines []lobby.Line) error {
	if c.flags.json {
		for _, l := range lines {
			if err := c.json(struct {
				Game string `json:"game"`
				Rank int    `json:"rank"` // 0 while provisional
				Name string `json:"name"`
				Bot  bool   `json:"bot"` // computer players are not rated
				standingJSON
			}{a.ID, l.Rank, l.Name, false, standing(l.Standing)}); err != nil {
				return err
			}
		}
		return nil
	}
	rows := []string{a.Name}
	for _, l := range lines {
		rank := "-"
		if l.Rank > 0 {
			rank = fmt.Sprint(l.Rank)
		}
		rows = append(rows, fmt.Sprintf("  %s\t%s\t%s", rank, l.Name, standing(l.Standing).cells()))
	}
	if len(lines) == 0 {
		rows = append(rows, "  nobody has played a rated match yet")
	}
	return c.table(rows)
}

func profile(c *call) error {
	name, err := c.nameOrOwn()
	if err != nil {
		return err
	}
	p, err := c.lobby().Profile(c.ctx, name)
	if errors.Is(err, lobby.ErrNoSuchPlayer) {
		return refuse("Nobody here is called %s.", short(name))
	}
	if err != nil {
		return err
	}
	if c.flags.json {
		return c.profileJSON(p)
	}
	here := ""
	if p.Online {
		here = ", here now"
	}
	rows := []string{fmt.Sprintf("%s, since %s%s", p.Name, day(p.Since), here)}
	for _, s := range p.Games {
		g, err := c.game(s.Game)
		if err != nil {
			return err
		}
		rows = append(rows, fmt.Sprintf("  %s\t%s", g.About().Name, standing(s).cells()))
	}
	return c.table(rows)
}

func (c *call) profileJSON(p lobby.Profile) error {
	type gameJSON struct {
		Game string `json:"game"`
		standingJSON
	}
	out := struct {
		Name   string     `json:"name"`
		Since  *string    `json:"since"`
		Online bool       `json:"online"`
		Games  []gameJSON `json:"games"`
	}{p.Name, jsonTime(p.Since), p.Online, []gameJSON{}}
	for _, s := range p.Games {
		out.Games = append(out.Games, gameJSON{s.Game, standing(s)})
	}
	return c.json(out)
}

// nameOrOwn is the name that the command gives, or else the caller's own.
func (c *call) nameOrOwn() (string, error) {
	if len(c.words) == 1 {
		return c.words[0], nil
	}
	who, err := c.visitor()
	if err == nil && who.Kind != storage.Person {
		err = refuse("You have no name here yet. Say whose: a NAME.")
	}
	return who.Name, err
}

func showStatus(c *call) error {
	s := c.runner.options.Status()
	if c.flags.json {
		return c.json(s)
	}
	return s.Print(c.out)
}
