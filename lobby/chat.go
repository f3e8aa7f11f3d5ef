package lobby

import (
	"context"

	"ludoteca/lobby/chat"
	chatstore "ludoteca/storage/chat"
)

// The rooms of a match; see chat.Room.
const (
	PlayersRoom    = chatstore.PlayersRoom
	SpectatorsRoom = chatstore.SpectatorsRoom
)

// Greetings returns the ids of the greetings that need no typing, in the order in which they are offered.
func Greetings() []string { return chat.Greetings() }

// Chat returns what the user sees of the chat of the match; see chat.Service.Read.
func (s *Seat) Chat(ctx context.Context, after uint64) (*chat.View, error) {
	return s.lobby.Chat.Read(ctx, s.user, s.id, after)
}

// Say writes a line in the user's room of the match; see chat.Service.Say.
func (s *Seat) Say(ctx context.Context, text, greeting string) error {
	return s.lobby.Chat.Say(ctx, s.user, s.id, text, greeting)
}
