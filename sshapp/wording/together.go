package wording

// NoLongerWaits says that a challenge or an invitation by a user was withdrawn.
func (s Words) NoLongerWaits(name string) string {
	return s.T("%s no longer waits for your answer.", name)
}

// NotComing says that a user has declined an invitation to look at a review, or hasn't answered it.
func (s Words) NotComing(name string) string { return s.T("%s doesn't come.", name) }

// AloneNow says that the other user who looked at a review has left.
func (s Words) AloneNow(name string) string {
	return s.T("%s has left. You look at the review alone now.", name)
}
