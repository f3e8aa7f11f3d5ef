package standings

import (
	"context"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// A Profile is what users see of a player.
type Profile struct {
	ID     storage.PlayerID
	Name   string
	Kind   storage.OccupantKind // storage.Person or storage.Engine
	Since  time.Time
	Online bool

	Owner   string   // of a computer account: the name of the player whose it is; "" if nobody has agreed to that
	Engines []string // the names of the computer accounts of a player

	Badges []Badge // of the last seasons, the newest first

	Games []Standing // in games with rated matches of the player, in the order of Config.Games
}

// A Career is the history of a player, beside the present ratings in the profile.
type Career struct {
	Ratings  []results.RatingPoint // by game, after each of the last rated matches that counted, the oldest first
	Sides    []GameSides           // in games against other players, in the order of Config.Games
	Against  *results.Score        // the score of the user who asks against the player; nil for guests and for oneself
	Started  int                   // matches that the player has started against other players
	Finished int                   // matches among them that the player has finished: see FinishedShare
}

// GameSides is a player's score in a game against other players, rated or not, with each side.
type GameSides struct {
	Game string
	results.BySide
}

// RatedPoints is how many points of each game the rating history of a career has where it is shown.
const RatedPoints = 100

// Profile returns the profile of the player with a name, in any letter case, as a user sees it. The errors are refusal.ErrNoSuchPlayer and
// refusal.ErrBusy.
func (s *Service) Profile(ctx context.Context, u match.User, name string) (Profile, error) {
	p, err := s.FullProfile(ctx, name)
	p.Online = p.Online && !s.config.HasBlocked(match.User{Kind: storage.Person, ID: string(p.ID)}, u)
	return p, err
}

// FullProfile is Profile for operators, whom no player can block.
func (s *Service) FullProfile(ctx context.Context, name string) (Profile, error) {
	p, err := s.config.Player(ctx, name)
	if err != nil {
		return Profile{}, err
	}
	ratings, err := s.config.Store.Ratings(ctx, p.ID, s.gameIDs(), s.lastSeasons()...)
	if err != nil {
		return Profile{}, refusal.OfStore(err)
	}
	profile := Profile{ID: p.ID, Name: p.Name, Kind: p.Kind(), Since: p.Since, Online: s.config.Online(p.ID)}
	if err := s.nameRelated(ctx, p, &profile); err != nil {
		return Profile{}, err
	}
	if profile.Badges, err = s.badges(ctx, p.ID, ratings.Seasons); err != nil {
		return Profile{}, err
	}
	now := s.config.Now()
	for _, g := range s.config.Games {
		if r, ok := ratings.Now[g.About().ID]; ok {
			profile.Games = append(profile.Games, standing(g.About().ID, r, now))
		}
	}
	return profile, nil
}

// nameRelated fills in the owner of a computer account, and the computer accounts of a player.
func (s *Service) nameRelated(ctx context.Context, p accounts.Player, in *Profile) error {
	ids := p.Owned()
	if p.Owner != "" {
		ids = append([]storage.PlayerID{p.Owner}, ids...)
	}
	if len(ids) == 0 {
		return nil
	}
	related, err := s.config.Store.Players(ctx, ids)
	if err != nil {
		return refusal.OfStore(err)
	}
	if p.Owner != "" {
		in.Owner, related = related[0].Name, related[1:]
	}
	for _, engine := range related {
		in.Engines = append(in.Engines, engine.Name)
	}
	return nil
}

// Career returns the career of the player of a profile, as a user sees it, with at most some points (0 to 1000) of the rating history of each game.
// The history costs more than all else, so a caller who doesn't show it asks for no points. The error is refusal.ErrBusy.
func (s *Service) Career(ctx context.Context, u match.User, p Profile, points int) (Career, error) {
	var against storage.PlayerID
	if u.Kind.HasAccount() && u.Player() != p.ID {
		against = u.Player()
	}
	t, err := s.config.Store.Tallies(ctx, p.ID, against, s.gameIDs()...)
	if err != nil {
		return Career{}, refusal.OfStore(err)
	}
	c := Career{Started: t.Conduct.Started, Finished: t.Conduct.Finished}
	if against != "" {
		c.Against = &results.Score{Won: t.Against.Lost, Drawn: t.Against.Drawn, Lost: t.Against.Won}
	}
	for _, g := range s.config.Games {
		if sides, ok := t.Sides[g.About().ID]; ok {
			c.Sides = append(c.Sides, GameSides{g.About().ID, sides})
		}
	}
	if points < 1 || len(p.Games) == 0 {
		return c, nil
	}
	var rated []string
	for _, played := range p.Games {
		rated = append(rated, played.Game)
	}
	c.Ratings, err = s.config.Store.RatingHistory(ctx, p.ID, rated, points)
	return c, refusal.OfStore(err)
}

// FinishedShare returns Finished as a share of Started, from 0 to 1. known is false if the player has started no match.
func (c *Career) FinishedShare() (share float64, known bool) {
	return FinishedShare(results.Conduct{Started: c.Started, Finished: c.Finished})
}
