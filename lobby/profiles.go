package lobby

import (
	"context"
	"time"

	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A Profile is what the club knows of a player.
type Profile struct {
	ID     storage.PlayerID
	Name   string
	Since  time.Time
	Online bool
	Games  []Standing // of the games that the player has played rated, in the order of Lobby.Games
}

// A Career is what a profile says beside the ratings of now.
type Career struct {
	Ratings  []results.RatingPoint // after each of the last ratedPoints rated matches of each game that counted, the oldest first by game
	Sides    []GameSides           // of the games played against other players, in the order of Lobby.Games
	Against  *results.Score        // the score of the user who asks against the player; nil for guests and for oneself
	Started  int                   // matches that the player has started against other players
	Finished int                   // of those, that the player has finished: see FinishedShare
}

// GameSides is a player's score in a game against other players, rated or not, with each side.
type GameSides struct {
	Game string
	results.BySide
}

// ratedPoints is how many points of one game a rating history has at most.
const ratedPoints = 100

// Profile returns what is known of the player with this name, in any letter case, as a user sees it; ErrNoSuchPlayer.
func (l *Lobby) Profile(ctx context.Context, u User, name string) (Profile, error) {
	p, err := l.profile(ctx, name)
	p.Online = p.Online && l.OnlineTo(u, p.ID)
	return p, err
}

// profile is Profile as operators see it.
func (l *Lobby) profile(ctx context.Context, name string) (Profile, error) {
	p, err := l.Accounts.ByName(ctx, name)
	if err != nil {
		return Profile{}, err
	}
	ratings, err := l.store.Ratings(ctx, p.ID)
	if err != nil {
		return Profile{}, refusal.OfStore(err)
	}
	profile := Profile{ID: p.ID, Name: p.Name, Since: p.Since, Online: l.Presence.Online(p.ID)}
	now := l.now()
	for _, g := range l.catalogue.Games {
		if r, ok := ratings[g.About().ID]; ok {
			profile.Games = append(profile.Games, standing(g.About().ID, r, now))
		}
	}
	return profile, nil
}

// Career returns the rest of a profile, as a user sees it. It costs some hundred small reads at most. The error is ErrBusy.
func (l *Lobby) Career(ctx context.Context, u User, p Profile) (Career, error) {
	var against storage.PlayerID
	if u.Kind == storage.Person && u.Player() != p.ID {
		against = u.Player()
	}
	t, err := l.store.Tallies(ctx, p.ID, against)
	if err != nil {
		return Career{}, refusal.OfStore(err)
	}
	c := Career{Started: t.Conduct.Started, Finished: t.Conduct.Finished}
	if against != "" {
		c.Against = &results.Score{Won: t.Against.Lost, Drawn: t.Against.Drawn, Lost: t.Against.Won}
	}
	for _, g := range l.catalogue.Games {
		if sides, ok := t.Sides[g.About().ID]; ok {
			c.Sides = append(c.Sides, GameSides{g.About().ID, sides})
		}
	}
	for _, s := range p.Games {
		points, err := l.store.RatingHistory(ctx, p.ID, s.Game, ratedPoints)
		if err != nil {
			return Career{}, refusal.OfStore(err)
		}
		c.Ratings = append(c.Ratings, points...)
	}
	return c, nil
}

// FinishedShare is that of the player who makes the offer, as it stood when they did; see Lobby.FinishedShare.
func (o *Offer) FinishedShare() (share float64, known bool) {
	c := o.Strength.Conduct
	return shareOf(c.Finished, c.Started), c.Started > 0
}

// FinishedShare returns the share, 0 to 1, of the matches which a player has started against other players that the player has also
// finished: not left, and not lost by making no move for a minute until the time was up. known is false for a player who has
// started none, and for an unknown one. It costs one lookup. The error is ErrBusy.
func (l *Lobby) FinishedShare(ctx context.Context, id storage.PlayerID) (share float64, known bool, err error) {
	c, err := l.store.Conduct(ctx, id)
	if err != nil || c.Started == 0 {
		return 0, false, refusal.OfStore(err)
	}
	return shareOf(c.Finished, c.Started), true, nil
}

// FinishedShare is that of the player; known is false if no match has been started.
func (c *Career) FinishedShare() (share float64, known bool) {
	return shareOf(c.Finished, c.Started), c.Started > 0
}

func shareOf(finished, started int) float64 { return float64(finished) / float64(max(started, 1)) }
