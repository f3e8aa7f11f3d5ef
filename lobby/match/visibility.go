package match

// Concerns reports whether a match concerns a user: they sit in it, its free seat is kept for them, or they opened an exhibition.
func (s *Summary) Concerns(u User) bool {
	_, seated := s.Side(u)
	return seated || s.Started.IsZero() && u.Is(s.Reserved) || u.Is(s.By)
}

// KnowsCode reports whether a user who has typed a code, "" for none, is shown that of a match.
func (s *Summary) KnowsCode(u User, code string) bool {
	return s.Concerns(u) || code != "" && code == s.Code
}

// SeenBy returns a view as a user sees it who has typed a code, "" for none. The rematch of a match is a private one of its players.
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
