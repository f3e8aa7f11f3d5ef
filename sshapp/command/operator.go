package command

// operatorsVerbs are what the operators of the club can ask for beside verbs. For everybody else there are no such commands.
func operatorsVerbs() []verb {
	return []verb{
		{"status", "[--json]", "what the club has to carry just now", 0, 0, withJSON, showStatus},
	}
}

func showStatus(c *call) error {
	s := c.runner.options.Status()
	if c.flags.json {
		return c.json(s)
	}
	return s.Print(c.out)
}

// verbs are all commands for this caller.
func (c *call) verbs() []verb {
	if !c.caller.Operator || c.runner.options.Status == nil {
		return verbs()
	}
	return append(verbs(), operatorsVerbs()...)
}
