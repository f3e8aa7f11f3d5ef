package games

// Replay returns the position after moves from the start of a game with complete options. A move that is illegal where it
// stands is an *IllegalError; the other errors are those of Game.New.
func Replay(g Game, o Options, moves []Move) (Position, error) {
	start, err := g.New(o)
	if err != nil || len(moves) == 0 {
		return start, err
	}
	s := start.State()
	for _, m := range moves {
		c, err := s.Code(m)
		if err != nil {
			return nil, err
		}
		s.Play(c)
	}
	return s.Freeze(), nil
}
