package command

import (
	"strings"

	"ludoteca/lobby/notices"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	noticestore "ludoteca/storage/notices"
)

// notifyRow is the command for notices outside the terminal.
func notifyRow() *row {
	return &row{Name: "notify", Answer: noticeJSON{}, Summary: text.T("where you want notices when you are not here: show, set and end it"),
		Usage: "[mail ADDRESS | ntfy TOPIC | confirm CODE | stop CODE | off]", Run: plain(showNotices), Sub: []*row{
			{Name: "mail", Example: "notify mail ana@example.com", Answer: noticeJSON{}, Summary: text.T("notices by mail, once you have typed the code that goes there"), Args: []tree.Arg{
				{Name: "ADDRESS", Help: text.T("your email address")},
			}, Run: plain(notifyMail)},
			{Name: "ntfy", Example: "notify ntfy TOPIC", Answer: noticeJSON{}, Summary: text.T("notices to a topic of the club's ntfy server, once you have typed the code that goes there"), Args: []tree.Arg{
				{Name: "TOPIC", Help: text.T("a topic that nobody guesses: 16 to 64 letters, digits, - and _")},
			}, Run: plain(notifyNtfy)},
			{Name: "confirm", Example: "notify confirm CODE", Answer: noticeJSON{}, Summary: text.T("confirm your address with the code that was sent there"), Args: []tree.Arg{
				{Name: "CODE", Words: tree.Many, Help: text.T("the code that was sent to your address")},
			}, Run: plain(confirmNotices)},
			{Name: "stop", Example: "notify stop CODE", Answer: noticesEndJSON{}, Summary: text.T("end all notices to an address, for ever: needs no key"), Args: []tree.Arg{
				{Name: "CODE", Words: tree.Many, Help: text.T("the code at the end of each notice")},
			}, Run: plain(stopNotices)},
			{Name: "off", Example: "notify off", Answer: noticesEndJSON{}, Summary: text.T("end your notices: the club forgets your address"), Run: plain(endNotices)},
		}}
}

type noticeJSON struct {
	Kind      string  `json:"kind" help:"mail or ntfy"`
	To        string  `json:"to" help:"the email address, or the topic"`
	Confirmed bool    `json:"confirmed" help:"whether the code that was sent there was typed; before that nothing else is sent there"`
	Since     *string `json:"since" help:"when it was confirmed, or the code was sent"`
}

// A noticesEndJSON says that notices have ended.
type noticesEndJSON struct {
	Off bool `json:"off" help:"always true"`
}

func noticeOf(a noticestore.Address, confirmed bool) noticeJSON {
	return noticeJSON{string(a.Kind), a.To, confirmed, jsonTime(a.Since)}
}

// noticesOf returns the address of a contact and the one that waits for its code, as far as there are any.
func noticesOf(contact noticestore.Contact) (all []noticeJSON) {
	if contact.Confirmed != nil {
		all = append(all, noticeOf(*contact.Confirmed, true))
	}
	if contact.Pending != nil {
		all = append(all, noticeOf(contact.Pending.Address, false))
	}
	return all
}

func showNotices(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	contact, err := c.lobby().Notices.Of(c.ctx, who)
	if err != nil {
		return nil, err
	}
	all := noticesOf(contact)
	if len(all) == 0 {
		words := c.say.T("You get no notices. The club sends none: the command wait tells a script what is new.")
		switch mail, ntfy := c.lobby().Notices.Sends(noticestore.Mail), c.lobby().Notices.Sends(noticestore.Ntfy); {
		case mail && ntfy:
			words = c.say.T("You get no notices. To get some: notify mail ana@example.com, or notify ntfy TOPIC")
		case mail:
			words = c.say.T("You get no notices. To get some: notify mail ana@example.com")
		case ntfy:
			words = c.say.T("You get no notices. To get some: notify ntfy TOPIC")
		}
		return reply.One(reply.ForPeople(words)), nil
	}
	var rows []reply.Row
	for _, n := range all {
		rows = append(rows, reply.Made(func() string { return noticeWords(c, n) }, func() any { return n }))
	}
	return reply.One(rows...), nil
}

func noticeWords(c *call, n noticeJSON) string {
	to := text.Clean(n.To)
	switch mail := n.Kind == string(noticestore.Mail); {
	case !n.Confirmed:
		return c.say.T("A code was sent to %s. Type it: notify confirm CODE", to)
	case mail:
		return c.say.T("Notices go by mail to %s. To end them: notify off", to)
	}
	return c.say.T("Notices go to the topic %s. To end them: notify off", to)
}

func notifyMail(c *call) (reply.Reply, error) {
	to, err := notices.ParseMail(c.words[0])
	if err != nil {
		return nil, err
	}
	return askNotices(c, to)
}

func notifyNtfy(c *call) (reply.Reply, error) {
	to, err := notices.ParseTopic(c.words[0])
	if err != nil {
		return nil, err
	}
	return askNotices(c, to)
}

// askNotices has a code sent.
func askNotices(c *call, to noticestore.Destination) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	a, err := c.lobby().Notices.Ask(c.ctx, who, c.caller.origin(), to)
	if err != nil {
		return nil, err
	}
	words := c.say.T("A code is on its way to %s. It works for a day: notify confirm CODE", text.Clean(a.To))
	return reply.One(reply.Of(words, noticeOf(a, false))), nil
}

func confirmNotices(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	a, err := c.lobby().Notices.Confirm(c.ctx, who, strings.Join(c.words, ""))
	if err != nil {
		return nil, err
	}
	n := noticeOf(a, true)
	return reply.One(reply.Of(noticeWords(c, n), n)), nil
}

// stopNotices ends notices to an address. Any caller with the code may do so, without an account and without a key.
func stopNotices(c *call) (reply.Reply, error) {
	if err := c.lobby().Notices.Stop(c.ctx, c.caller.origin(), strings.Join(c.words, "")); err != nil {
		return nil, err
	}
	return reply.One(reply.Of(c.say.T("No more notices go to this address, for ever."), noticesEndJSON{true})), nil
}

func endNotices(c *call) (reply.Reply, error) {
	who, err := c.owner()
	if err != nil {
		return nil, err
	}
	if err := c.lobby().Notices.End(c.ctx, who); err != nil {
		return nil, err
	}
	return reply.One(reply.Of(c.say.T("Your notices have ended, and the club has forgotten your address."), noticesEndJSON{true})), nil
}
