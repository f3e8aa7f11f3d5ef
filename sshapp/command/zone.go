package command

import (
	"time"

	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/moment"
	"ludoteca/sshapp/text"
)

// zoneRow is the command about the time zone in which the caller reads times.
func zoneRow() *row {
	return &row{Name: "zone", Example: "zone Europe/Lisbon", Answer: zoneJSON{}, Summary: text.T("the time zone in which you read times"),
		Args: []tree.Arg{{
			Name: "NAME|off", Sample: "Europe/Lisbon", Optional: true,
			Help: text.T("the name of a time zone, such as Europe/Lisbon; off is UTC; without it, which one you have chosen"),
		}}, Run: plain(zone)}
}

// A zoneJSON is the time zone of the caller.
type zoneJSON struct {
	Zone string `json:"zone" help:"the time zone in which times are shown to you; UTC if you have chosen none. What is printed with --json is in UTC"`
}

// zone prints or changes the time zone of the caller.
func zone(c *call) (reply.Reply, error) {
	if _, err := c.owner(); err != nil {
		return nil, err
	}
	who, settings, err := c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint)
	if err != nil {
		return nil, err
	}
	if len(c.words) > 0 {
		name, err := moment.Chosen(c.words[0])
		if err != nil {
			return nil, usageError{words: c.say.T("%s is no time zone. Write its name as in Europe/Lisbon.", tree.Quoted(c.words[0]))}
		}
		settings.Zone = name
		if err := c.lobby().Accounts.SaveSettings(c.ctx, who, settings); err != nil {
			return nil, err
		}
		c.say = c.say.Chosen(settings)
		if c.caller.current != nil {
			c.caller.current.ReadIn(name)
		}
	}
	shown := settings.Zone
	if shown == "" {
		shown = "UTC"
	}
	return reply.One(reply.Of(c.say.T("You read times like this: %s.", c.say.Minute(time.Now())), zoneJSON{shown})), nil
}
