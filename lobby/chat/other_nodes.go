package chat

import (
	"context"
	"encoding/json"

	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
	"ludoteca/storage/cluster"
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

// lineMessage is the kind of messages that are a toldLine.
const lineMessage = "line"

// A toldLine is a line of the chat of a match that is over.
type toldLine struct {
	Match storage.MatchID `json:"match"`
	Line  chatstore.Line  `json:"line"`
}

// tellLine sends a chat line of a finished match to the other nodes.
func (s *Service) tellLine(id storage.MatchID, line chatstore.Line) {
	s.tell(lineMessage, toldLine{id, line})
}

// tell sends a message to the other nodes, in a goroutine of its own. Delivery is best effort: a failed message is not sent again.
func (s *Service) tell(kind string, what any) {
	_ = s.config.Tasks.Go(func(ctx, _ context.Context) { // the error: the club closes
		if err := s.config.Node.Tell(ctx, kind, what); err != nil && ctx.Err() == nil {
			s.config.Log.Warn("other nodes are not told", "message", kind, "err", err)
		}
	})
}

// FollowMessages handles the messages of other nodes until ctx ends.
func (s *Service) FollowMessages(ctx context.Context) {
	s.config.Node.Follow(ctx, func(ctx context.Context) error {
		return s.config.Shared.FollowMessages(ctx, s.hear, s.config.Node.Unreadable)
	})
}

// hear handles a message.
func (s *Service) hear(m cluster.Message) {
	if s.config.Node.Own(m.Node) {
		return
	}
	var told toldLine
	switch err := json.Unmarshal(m.Body, &told); {
	case m.Kind != lineMessage: // of a newer program
	case err != nil:
		s.config.Node.Unreadable(m.Kind, err)
	default:
		s.rooms.Receive(told.Match, told.Line)
	}
}
