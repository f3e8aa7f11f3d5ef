// Package nicknames gives guests the nicknames that they choose for a visit.
//
// The name of a guest with a nickname is names.GuestPrefix and the nickname, so that a guest is marked wherever the name stands, in records
// too. No two guests who are here have nicknames that look alike, and none has one that looks like the name of a player. A nickname ends with
// the last session of the guest. Matches keep the name with which the guest sat down.
package nicknames

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/names"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// How often a guest may try a nickname, and the guests of a block of addresses as often as its weight times origin.PeoplePerAddress.
const (
	tryEvery = 20 * time.Second
	tryBurst = 5
	triers   = 1 << 14 // guests, and blocks of each weight, that are remembered
)

// A Store knows the names of players; accounts.Store is one.
type Store interface {
	// FreeName returns nil if a new player could take a name, else storage.ErrNameTaken or storage.ErrNameAlike.
	FreeName(ctx context.Context, name, nameKey string) error
}

// Shared is the store of a club with several nodes; see cluster.Store.
type Shared interface {
	ClaimNickname(ctx context.Context, n cluster.Nickname) error
	ReleaseNickname(ctx context.Context, id cluster.NicknameID) error
}

// Presence knows who is here; *presence.Registry is one. Its methods must not block.
type Presence interface {
	Name(k match.Key) (name string, here bool)
	Guests() []match.User
	Rename(k match.Key, name string) (here bool)
}

// A Node is this one: *nodes.Nodes or *nodes.Alone.
type Node interface {
	ID() cluster.NodeID
	Rejoined() <-chan struct{} // is closed when other nodes had declared this one gone and it is back under another id
}

// A Config configures New.
type Config struct {
	Store    Store
	Shared   Shared // nil in a club with one node
	Node     Node
	Presence Presence
	Origin   func(storage.Occupant) origin.Origin
}

// A Service keeps the nicknames of the guests at this node. It is safe for concurrent use.
type Service struct {
	config   Config
	rows     Shared // of all nodes
	throttle *origin.Throttle
	wake     chan struct{} // holds one: stale is not empty

	mu     sync.Mutex // guards what follows
	guests map[match.Key]*guest
	stale  map[match.Key]bool // guests whose rows may differ from guests
	busy   map[match.Key]bool // guests whose rows are being written
}

// A guest is a guest with a nickname.
type guest struct {
	row   cluster.Nickname // without the node
	plain string           // the name of the guest without a nickname
}

func (g *guest) name() string { return names.GuestPrefix + g.row.Name }

// New returns a service that knows no nicknames. The caller must run Run.
func New(c Config) *Service {
	s := &Service{
		config: c, rows: c.Shared, throttle: origin.NewSharedThrottle(tryEvery, tryBurst, origin.PeoplePerAddress, triers),
		wake: make(chan struct{}, 1), guests: make(map[match.Key]*guest), stale: make(map[match.Key]bool), busy: make(map[match.Key]bool),
	}
	if c.Shared == nil {
		s.rows = &memory{rows: make(map[cluster.NicknameID]cluster.Nickname)}
	}
	return s
}

// Of returns the name of a guest who has a nickname.
func (s *Service) Of(k match.Key) (name string, has bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.guests[k]; g != nil {
		return g.name(), true
	}
	return "", false
}

// Choose gives a guest who is here a nickname, in place of the one that they may have, and returns the guest under the new name. The errors are
// refusal.ErrHasAccount for a player, refusal.ErrNeedsKey for a guest without a session, refusal.ErrUnchanged, refusal.ErrNameTaken and
// refusal.ErrNameAlike because of a player or another guest, refusal.ErrManyNicknames, *names.Error, refusal.ErrFull and refusal.ErrBusy.
func (s *Service) Choose(ctx context.Context, u match.User, nickname string) (match.User, error) {
	k := u.Key()
	if u.Kind != storage.Guest {
		return match.User{}, refusal.ErrHasAccount
	}
	now, here := s.config.Presence.Name(k)
	if !here {
		return match.User{}, refusal.ErrNeedsKey
	}
	shown, key, err := names.CheckNickname(nickname)
	if err != nil {
		return match.User{}, err
	}
	if names.GuestPrefix+shown == now {
		return match.User{}, refusal.ErrUnchanged
	}
	if _, ok := s.throttle.Take(time.Now(), s.config.Origin(u.Occupant())); !ok {
		return match.User{}, refusal.ErrManyNicknames
	}
	if !s.begin(k) {
		return match.User{}, refusal.ErrBusy
	}
	defer s.end(k)
	g := &guest{cluster.Nickname{ID: cluster.NicknameID{Guest: u.ID}, Name: shown, Key: key, Looks: names.Skeletons(shown)}, now}
	s.mu.Lock()
	if old := s.guests[k]; old != nil {
		g.plain = old.plain
	}
	s.mu.Unlock()
	if err := s.free(ctx, k, g); err != nil {
		return match.User{}, err
	}
	node, err := s.claim(ctx, g)
	if err != nil {
		if !isTaken(err) {
			s.note(k) // it may have been written all the same
		}
		return match.User{}, err
	}
	s.mu.Lock()
	s.guests[k] = g
	s.mu.Unlock()
	if node != s.config.Node.ID() { // the row may be gone with the former id
		s.note(k)
	}
	if u.Name = g.name(); !s.config.Presence.Rename(k, u.Name) {
		s.Left(k)
		return match.User{}, refusal.ErrNeedsKey
	}
	return u, nil
}

// free returns nil unless a player has the nickname of a guest, or a guest without one a name that looks like it.
func (s *Service) free(ctx context.Context, k match.Key, g *guest) error {
	if err := s.config.Store.FreeName(ctx, g.row.Name, g.row.Key); err != nil {
		return refusalOf(err)
	}
	for _, other := range s.config.Presence.Guests() {
		name, _ := strings.CutPrefix(other.Name, names.GuestPrefix)
		if other.Key() == k || !isPlain(name) { // of nicknames the rows say more lately
			continue
		}
		otherKey, _ := names.Key(name)
		clash := g.row.Clash(cluster.Nickname{ID: cluster.NicknameID{Guest: other.ID}, Key: otherKey, Looks: names.Skeletons(name)})
		if clash != nil {
			return refusalOf(clash)
		}
	}
	return nil
}

// isPlain reports whether the end of a guest's name may be that of one without a nickname; see accounts.Service.Guest.
func isPlain(name string) bool {
	return len(name) == 4 && !strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(match.CodeLetters, r) })
}

// claim writes the row of a guest, under the id that it returns.
func (s *Service) claim(ctx context.Context, g *guest) (cluster.NodeID, error) {
	row := g.row
	row.ID.Node = s.config.Node.ID()
	return row.ID.Node, refusalOf(s.rows.ClaimNickname(ctx, row))
}

func refusalOf(err error) error {
	for _, known := range []struct{ from, to error }{
		{storage.ErrNameTaken, refusal.ErrNameTaken}, {storage.ErrNameAlike, refusal.ErrNameAlike}, {cluster.ErrManyNicknames, refusal.ErrFull},
	} {
		if errors.Is(err, known.from) {
			return known.to
		}
	}
	return refusal.OfStore(err)
}

// isTaken reports whether an error of claim says that the guest can't have the nickname, so that nothing was written.
func isTaken(err error) bool {
	return errors.Is(err, refusal.ErrNameTaken) || errors.Is(err, refusal.ErrNameAlike) || errors.Is(err, refusal.ErrFull)
}

// begin reports whether the row of a guest may be written; then the caller must call end.
func (s *Service) begin(k match.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[k] {
		return false
	}
	s.busy[k] = true
	return true
}

func (s *Service) end(k match.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, k)
}

// Left forgets the nickname of a guest whose last session has ended.
func (s *Service) Left(k match.Key) {
	s.mu.Lock()
	_, had := s.guests[k]
	delete(s.guests, k)
	s.mu.Unlock()
	if had {
		s.note(k)
	}
}

// rejoined has all rows of this node written again: other nodes have removed them with this node.
func (s *Service) rejoined() {
	s.mu.Lock()
	all := make([]match.Key, 0, len(s.guests))
	for k := range s.guests {
		all = append(all, k)
	}
	s.mu.Unlock()
	s.note(all...)
}

// note has Run write the rows of guests.
func (s *Service) note(guests ...match.Key) {
	s.mu.Lock()
	for _, k := range guests {
		s.stale[k] = true
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take returns the guests whose rows are to be written.
func (s *Service) take() []match.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]match.Key, 0, len(s.stale))
	for k := range s.stale {
		all = append(all, k)
	}
	clear(s.stale)
	return all
}

// Run writes the rows that follow from guests who leave and from a node that is back, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	const retry = 250 * time.Millisecond
	again := time.NewTimer(0)
	defer again.Stop()
	again.Stop()
	rejoined := s.config.Node.Rejoined()
	for {
		select {
		case <-s.wake:
		case <-rejoined:
			rejoined = s.config.Node.Rejoined()
			s.rejoined()
		case <-again.C:
		case <-ctx.Done():
			return
		}
		for _, k := range s.take() {
			if err := s.write(ctx, k); err != nil {
				s.mu.Lock()
				s.stale[k] = true
				s.mu.Unlock()
				again.Reset(retry)
			}
		}
	}
}

// write writes or removes the row of a guest. If another guest has taken the nickname meanwhile, this one gets their former name back.
func (s *Service) write(ctx context.Context, k match.Key) error {
	if !s.begin(k) {
		return refusal.ErrBusy
	}
	defer s.end(k)
	s.mu.Lock()
	g := s.guests[k]
	s.mu.Unlock()
	if g == nil {
		return s.rows.ReleaseNickname(ctx, cluster.NicknameID{Node: s.config.Node.ID(), Guest: k.ID})
	}
	_, err := s.claim(ctx, g)
	if !isTaken(err) {
		return err
	}
	s.mu.Lock()
	delete(s.guests, k)
	s.mu.Unlock()
	s.config.Presence.Rename(k, g.plain)
	return nil
}

// memory holds the rows of a club with one node.
type memory struct {
	mu   sync.Mutex // guards rows
	rows map[cluster.NicknameID]cluster.Nickname
}

func (m *memory) ClaimNickname(_ context.Context, n cluster.Nickname) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]cluster.Nickname, 0, len(m.rows))
	for _, row := range m.rows {
		all = append(all, row)
	}
	if err := cluster.MayHave(n, all); err != nil {
		return err
	}
	m.rows[n.ID] = n
	return nil
}

func (m *memory) ReleaseNickname(_ context.Context, id cluster.NicknameID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.rows, id)
	return nil
}
