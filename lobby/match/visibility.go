package match

// Concerns reports whether a user sits in a match, has its free seat reserved, or opened it as an exhibition.
func (s *Summary) Concerns(u User) bool {
	_, seated := s.Side(u)
	return seated || s.Started.IsZero() && u.Is(s.Reserved) || u.Is(s.By)
}

// KnowsCode reports whether the code of a match is shown to a user: the match concerns them, or code is its code. code is what the user has
// typed, "" for nothing.
func (s *Summary) KnowsCode(u User, code string) bool {
	return s.Concerns(u) || code != "" && code == s.Code
}

// SeenBy returns a view as a user sees it. The code is hidden unless KnowsCode, and the rematch, which is private, is shown to players only.
func (v *View) SeenBy(u User, code string) *View {
	known := v.KnowsCode(u, code)
	_, seated := v.Side(u)
	if known && (seated || v.Rematch == nil) {
		return v
	}
	hidden := *v
	if !known {
		hidden.Code = ""
	}
	if !seated {
		hidden.Rematch = nil
	}
	return &hidden
}
