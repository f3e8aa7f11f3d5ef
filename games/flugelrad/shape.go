package flugelrad

// A shape is the balls of one side and what the search has to know about them.
type shape struct {
	balls  grid
	groups [mostGroups]grid // the groups of two balls and more
	count  int              // how many there are
	links  int              // between two balls
	worth  int              // what the balls count in the evaluation
	won    bool             // enough balls hang together
}

// mostGroups is how many groups of two balls and more a side can have: a power of two, as look needs it.
const mostGroups = ballsEach / 2

// look makes s the shape of balls.
func (n *Search) look(s *shape, balls grid) {
	east := balls & (balls >> 1) & table.east
	southWest := balls & (balls >> 8) & table.southWest
	southEast := balls & (balls >> 9) & table.southEast
	rest := east | east<<1 | southWest | southWest<<8 | southEast | southEast<<9 // all balls with a link
	s.balls = balls
	s.links = count(east) + count(southWest) + count(southEast)
	worth := n.linkWorth*s.links + n.rimWorth*count(balls&table.rim) + n.midWorth*count(balls&table.wheel(midWheel))
	i, most := 0, 0
	for ; rest != 0; i++ {
		group, size := rest, count(rest)
		if size > 3 { // three balls or two, none of them alone, are one group
			group = table.group(rest, rest&-rest)
			size = count(group)
		}
		rest &^= group
		s.groups[i%mostGroups] = group
		worth += n.groupWorth[size]
		most = max(most, size)
	}
	s.count, s.worth = i, worth
	s.won = most >= n.rules.connect && (!n.rules.chain || n.rules.winning(balls, everywhere) != 0)
}
