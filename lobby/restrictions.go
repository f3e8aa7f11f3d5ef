package lobby

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/operators"
)

// decisions are what operators have decided, as the store says. What get returns is never changed.
type decisions struct {
	mu  sync.Mutex // guards what follows
	now *decided
}

type decided struct {
	restrictions map[storage.PlayerID]accounts.Restriction
	merged       map[storage.PlayerID][]storage.PlayerID // accounts that were merged with one
	names        map[storage.PlayerID]string             // of players who had another name before
	bans         []operators.Ban
	blocks       map[netip.Prefix]operators.Ban
	keys         map[string]operators.Ban
	bits         []int // the lengths of banned blocks
}

func (d *decisions) get() *decided {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// readDecisions reads from the store what operators have decided, and publishes the announcement if it is another one.
func (l *Lobby) readDecisions(ctx context.Context) error {
	now := &decided{
		merged: map[storage.PlayerID][]storage.PlayerID{}, names: map[storage.PlayerID]string{}, blocks: map[netip.Prefix]operators.Ban{}, keys: map[string]operators.Ban{},
	}
	var err error
	if now.restrictions, err = l.store.Restrictions(ctx); err != nil {
		return refusal.OfStore(err)
	}
	if now.bans, err = l.store.Bans(ctx); err != nil {
		return refusal.OfStore(err)
	}
	former, err := l.store.FormerNames(ctx)
	if err != nil {
		return refusal.OfStore(err)
	}
	for id := range former {
		p, err := l.store.Player(ctx, id)
		switch {
		case err == nil:
			now.names[id] = p.Name
			l.presence.Rename(match.Key{Kind: storage.Person, ID: string(id)}, p.Name)
		case !errors.Is(err, storage.ErrNotFound):
			return refusal.OfStore(err)
		}
	}
	now.indexBans()
	now.indexMerged()
	a, err := l.store.Announcement(ctx)
	if err != nil {
		return refusal.OfStore(err)
	}
	l.decisions.mu.Lock()
	before := l.decisions.now
	l.decisions.now = now
	l.decisions.mu.Unlock()
	first := before == nil
	for id, name := range now.names {
		if !first && before.names[id] != name {
			l.lists.noteOwn(match.Key{Kind: storage.Person, ID: string(id)}) // sessions of the player show the name
		}
	}
	l.bulletin.Update(func(old Bulletin, _ uint64) (Bulletin, bool) {
		b := Bulletin{Text: a.Text, Until: a.At.Add(AnnouncementLife), CutOff: old.CutOff, StoreFull: old.StoreFull}
		return b, first || old != b
	})
	return nil
}

func (d *decided) indexBans() {
	for _, b := range d.bans {
		block, err := netip.ParsePrefix(b.Subject)
		if err != nil {
			d.keys[b.Subject] = b
			continue
		}
		d.blocks[block] = b
		if !slices.Contains(d.bits, block.Bits()) {
			d.bits = append(d.bits, block.Bits())
		}
	}
}

// AddressBanned reports whether nobody from an address may come in just now.
func (l *Lobby) AddressBanned(addr netip.Addr) bool {
	d := l.decisions.get()
	addr = addr.Unmap().WithZone("")
	for _, bits := range d.bits {
		block, err := addr.Prefix(bits)
		if b, banned := d.blocks[block]; err == nil && banned && !b.IsOver(l.now()) {
			return true
		}
	}
	return false
}

// KeyBanned reports whether a key may not sign in just now.
func (l *Lobby) KeyBanned(fingerprint string) bool {
	b, banned := l.decisions.get().keys[fingerprint]
	return banned && !b.IsOver(l.now())
}

// closed reports whether the account of a player is closed.
func (l *Lobby) closed(id storage.PlayerID) bool { return l.decisions.get().restrictions[id].Closed }

// mayPlay says ErrAccountClosed for a user who may neither sign in nor play.
func (l *Lobby) mayPlay(u User) error {
	if u.Kind == storage.Person && l.closed(u.Player()) {
		return ErrAccountClosed
	}
	return nil
}

// MutedUntil returns until when a user may not chat: a time that has passed, or zero, if they may.
func (l *Lobby) MutedUntil(u User) time.Time { return l.decisions.get().restrictions[u.Player()].Muted }

// indexMerged notes for each account those that were merged with it, those of these included.
func (d *decided) indexMerged() {
	for id := range d.restrictions {
		if into := d.into(id); into != id {
			d.merged[into] = append(d.merged[into], id)
		}
	}
	for _, ids := range d.merged {
		slices.Sort(ids)
	}
}

// into returns the account that an account was merged with, and that perhaps with a third: itself, if it was not.
func (d *decided) into(id storage.PlayerID) storage.PlayerID {
	for range d.restrictions { // so many merges at most, should they go in a circle
		next := d.restrictions[id].Into
		if next == "" {
			break
		}
		id = next
	}
	return id
}

// followDecisions follows the operators' decisions, and changes of names, until ctx ends.
func (l *Lobby) followDecisions(ctx context.Context) {
	const pause = 250 * time.Millisecond // after an error of the store
	stale := make(chan struct{}, 1)
	var reading sync.WaitGroup
	defer reading.Wait()
	reading.Go(func() {
		again := time.NewTimer(0)
		defer again.Stop()
		again.Stop()
		for {
			select {
			case <-stale:
			case <-again.C:
			case <-ctx.Done():
				return
			}
			if l.decisionsChanged(ctx) != nil {
				again.Reset(pause)
			}
		}
	})
	l.node.Follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowDecisions(ctx, func() {
			select {
			case stale <- struct{}{}:
			default:
			}
		})
	})
}

// decisionsChanged reads the operators' decisions and applies them on this node. After an error nothing has changed.
func (l *Lobby) decisionsChanged(ctx context.Context) error {
	done, err := l.beginAct(ctx)
	if err != nil {
		return err
	}
	defer done()
	before := l.decisions.get()
	if err := l.readDecisions(ctx); err != nil {
		if ctx.Err() == nil {
			l.log.Error("what operators have decided can't be read", "err", err)
		}
		return err
	}
	l.leaderboards.forgetAll()
	l.finished.forgetAll()
	now, sessions := l.decisions.get(), l.sessions()
	sessions.EndBanned()
	for id, r := range now.restrictions {
		if !r.Closed || before.restrictions[id].Closed {
			continue
		}
		if keys, err := l.store.Keys(ctx, id); err == nil {
			sessions.EndKeys(keys, ErrAccountClosed)
		}
	}
	for id, name := range now.names {
		if name == accounts.FormerPlayer && before.names[id] != name {
			l.chats.Forget(match.Key{Kind: storage.Person, ID: string(id)})
		}
	}
	return nil
}
