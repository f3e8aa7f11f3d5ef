package chat

import (
	"context"

	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
)

// FollowLines follows the chat lines of unfinished matches until ctx ends.
func (s *Service) FollowLines(ctx context.Context) {
	s.config.Node.Follow(ctx, func(ctx context.Context) error {
		return s.config.Shared.FollowChat(ctx, storage.Follower[chatstore.LineID, chatstore.LineID]{
			All: func([]chatstore.LineID) { s.rooms.FollowAll(ctx) },
			Put: func(line chatstore.LineID) { s.rooms.Follow(ctx, line.Match, line.Room, line.Number) },
			Bad: s.config.Node.Unreadable,
		})
	})
}

// A lateLine is a message to the other nodes: a line of the chat of a match that is over, which the store doesn't show them.
type lateLine struct {
	Match storage.MatchID `json:"match"`
	Line  chatstore.Line  `json:"line"`
}

// tellLine sends a chat line of a finished match to the other nodes.
func (s *Service) tellLine(id storage.MatchID, line chatstore.Line) { s.late.Tell(lateLine{id, line}) }
