package notices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// The bounds of codes.
const (
	MinAge   = 24 * time.Hour // of an account that asks for a code
	Day      = 24 * time.Hour
	DayCodes = 3              // codes that a player may ask for in a day
	CodeLife = 24 * time.Hour // how long a code can be typed
	MaxTries = 5              // at a code

	MaxHourCodes  = 20 // codes that the whole club sends in an hour
	MaxBlockCodes = 5  // of these, at the wish of players from one block of addresses, the /24 or /48 from which they came last
)

// Errors of addresses.
var (
	// ErrYoung says that an account is younger than MinAge; see WaitError.
	ErrYoung = errors.New("the account is too young for notices")

	// ErrManyCodes says that a player, or the club, has asked for too many codes; see WaitError.
	ErrManyCodes = errors.New("too many codes were asked for")

	// ErrNoCodes says that no code goes to an address now: one went there in the last day, or as many as ever may, or its owner has stopped
	// notices. Which of these it is remains the secret of the owner.
	ErrNoCodes = errors.New("no code goes to this address now")

	// ErrWrongCode says that a code is another one than the one that was sent.
	ErrWrongCode = errors.New("it is another code")
)

// A WaitError is an ErrYoung or an ErrManyCodes that says how long the player must wait.
type WaitError struct {
	Reason error
	Wait   time.Duration // positive
}

func (e *WaitError) Error() string { return fmt.Sprintf("%v: wait %v", e.Reason, e.Wait) }

// Unwrap returns the reason.
func (e *WaitError) Unwrap() error { return e.Reason }

// A Kind is a way in which notices leave the club. Kinds are stored; never change them.
type Kind string

// The kinds.
const (
	Mail Kind = "mail" // To is an email address
	Ntfy Kind = "ntfy" // To is a topic of the operator's ntfy server
)

// An Address is where notices go.
type Address struct {
	Kind  Kind      `json:"kind"`
	To    string    `json:"to"`
	Stop  string    `json:"stop"`  // the code that ends all notices to it
	Since time.Time `json:"since"` // when it was confirmed, or the code was asked for
}

// A Pending address waits for its code.
type Pending struct {
	Address
	Hash  string    `json:"hash"` // of the code
	Until time.Time `json:"until"`
	Tries int       `json:"tries"` // at the code

	Unsent string `json:"unsent,omitempty"` // the code, until it has been sent
}

// A Code is what is sent to an address, and its hash.
type Code struct{ Text, Hash string }

// An UnsentCode is a code that waits to be sent.
type UnsentCode struct {
	Player storage.PlayerID
	To     Address
	Code   Code
}

// A Contact is where a player wants notices.
type Contact struct {
	Confirmed *Address    `json:"confirmed,omitempty"`
	Pending   *Pending    `json:"pending,omitempty"`
	Codes     []time.Time `json:"codes,omitempty"` // when the player asked for codes, in the last day
}

// Contacts are the addresses of each player who has asked for notices.
var Contacts = storage.Table[storage.PlayerID, Contact]{
	Name: "notice_contacts", Keys: storage.Text(storage.IsPlayerID), Values: storage.JSON[storage.PlayerID, Contact](1),
	Check: func(_ storage.PlayerID, c Contact) error {
		if c.empty() || len(c.Codes) > DayCodes {
			return storage.Damaged("a contact without an address")
		}
		for _, a := range c.all() {
			if a.Kind == "" || a.To == "" || a.Stop == "" {
				return storage.Damaged("a contact with half an address")
			}
		}
		return nil
	},
}

func (c Contact) empty() bool { return c.Confirmed == nil && c.Pending == nil && len(c.Codes) == 0 }

// all returns the addresses of a contact.
func (c Contact) all() (all []Address) {
	if c.Confirmed != nil {
		all = append(all, *c.Confirmed)
	}
	if c.Pending != nil {
		all = append(all, c.Pending.Address)
	}
	return all
}

// put writes a contact, or deletes an empty one. Of the players of a recipient, it removes one who has no address of that recipient any more.
func (c Contact) put(tx kv.Tx, id storage.PlayerID, was Contact) error {
	for _, old := range was.all() {
		if !slices.ContainsFunc(c.all(), func(a Address) bool { return a.Stop == old.Stop }) {
			if err := forgetPlayer(tx, old, id); err != nil {
				return err
			}
		}
	}
	if c.empty() {
		Contacts.Delete(tx, id)
		return nil
	}
	return Contacts.Put(tx, id, c)
}

// A Destination is an address that a player asks for.
type Destination struct {
	Kind Kind
	To   string
	Same string // the form in which addresses are compared
}

// AskAddress keeps an address of a player as pending until its code is typed, in place of an older pending one. Of the code it keeps the hash, and
// the text until CodeSent. It counts the code for the player, the address and the club. The errors are storage.ErrNotFound for an unknown player,
// ErrYoung, storage.ErrUnchanged for the confirmed address, ErrManyCodes and ErrNoCodes.
func (s *Store) AskAddress(ctx context.Context, id storage.PlayerID, to Destination, code Code, now time.Time) (Address, error) {
	now = storage.Stored(now)
	return storage.Updated(ctx, s.engine, fmt.Sprintf("address of player %s", id), func(tx kv.Tx) (Address, error) {
		var none Address
		if err := errors.Join(storage.CheckKeys(string(id), to.Same, code.Hash), storage.CheckText(to.To, code.Text)); err != nil {
			return none, err
		}
		p, err := s.player(tx, id)
		if err != nil {
			return none, err
		}
		if wait := MinAge - now.Sub(p.Since); wait > 0 {
			return none, &WaitError{ErrYoung, wait}
		}
		was, _, err := Contacts.Find(tx, id)
		if err != nil {
			return none, err
		}
		c := was
		if c.Confirmed != nil && c.Confirmed.Kind == to.Kind && c.Confirmed.To == to.To {
			return none, storage.ErrUnchanged
		}
		if c.Codes = since(c.Codes, Day, now); len(c.Codes) >= DayCodes {
			return none, &WaitError{ErrManyCodes, max(c.Codes[0].Add(Day).Sub(now), time.Millisecond)}
		}
		stop, err := stopCode(tx, to)
		if err != nil {
			return none, err
		}
		if err := countCode(tx, stop, id, now); err != nil {
			return none, err
		}
		if err := countClubCode(tx, id, now); err != nil {
			return none, err
		}
		a := Address{to.Kind, to.To, stop, now}
		c.Codes = append(slices.Clone(c.Codes), now)
		c.Pending = &Pending{Address: a, Hash: code.Hash, Until: now.Add(CodeLife), Unsent: code.Text}
		return a, c.put(tx, id, was)
	})
}

// CodeSent forgets the text of a code that has been sent, or is not to be sent any more.
func (s *Store) CodeSent(ctx context.Context, id storage.PlayerID, hash string) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("code of player %s", id), func(tx kv.Tx) error {
		c, _, err := Contacts.Find(tx, id)
		if err != nil || c.Pending == nil || c.Pending.Hash != hash || c.Pending.Unsent == "" {
			return err
		}
		sent := *c.Pending
		sent.Unsent = ""
		c.Pending = &sent
		return Contacts.Put(tx, id, c)
	})
}

// UnsentCodes returns the codes that wait to be sent, as they do when the program ends before it has sent them.
func (s *Store) UnsentCodes(ctx context.Context, now time.Time) ([]UnsentCode, error) {
	return storage.View(ctx, s.engine, "codes that wait", func(r kv.Reader) (all []UnsentCode, err error) {
		for e, err := range Contacts.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			if p := e.Value.Pending; p != nil && p.Unsent != "" && now.Before(p.Until) {
				all = append(all, UnsentCode{e.Key, p.Address, Code{p.Unsent, p.Hash}})
			}
		}
		return all, nil
	})
}

// ConfirmAddress makes the pending address of a player the confirmed one, if the hash is of its code. After MaxTries wrong ones the address is
// forgotten. The errors are ErrWrongCode, and storage.ErrNotFound if no code is waited for.
func (s *Store) ConfirmAddress(ctx context.Context, id storage.PlayerID, hash string, now time.Time) (Address, error) {
	now = storage.Stored(now)
	a, err := storage.Updated(ctx, s.engine, fmt.Sprintf("confirmation of player %s", id), func(tx kv.Tx) (confirmed Address, err error) {
		was, _, err := Contacts.Find(tx, id)
		if err != nil {
			return confirmed, err
		}
		c := was
		if c.Pending == nil || !now.Before(c.Pending.Until) {
			return confirmed, storage.ErrNotFound
		}
		if c.Pending.Hash == hash { // of a code: how long this takes says nothing about it
			confirmed = c.Pending.Address
			confirmed.Since = now
			c.Confirmed, c.Pending = &confirmed, nil
			return confirmed, c.put(tx, id, was)
		}
		tried := *c.Pending
		tried.Tries++
		if c.Pending = &tried; tried.Tries >= MaxTries {
			c.Pending = nil
		}
		return confirmed, c.put(tx, id, was) // the try is kept
	})
	if err == nil && a == (Address{}) {
		err = fmt.Errorf("storage: confirmation of player %s: %w", id, ErrWrongCode)
	}
	return a, err
}

// EndNotices forgets the addresses of a player and what waits for them. The error is storage.ErrUnchanged if there is no address.
func (s *Store) EndNotices(ctx context.Context, id storage.PlayerID) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("notices of player %s", id), func(tx kv.Tx) error {
		was, _, err := Contacts.Find(tx, id)
		if err != nil {
			return err
		}
		if len(was.all()) == 0 {
			return storage.ErrUnchanged
		}
		return errors.Join(Contact{Codes: was.Codes}.put(tx, id, was), Queue.DeleteUnder(tx, string(id)))
	})
}

// StopNotices ends all notices to the address that has a stop code, for ever, and returns the players whose address it was. Doing so again changes
// nothing. The error is storage.ErrNotFound for a code of no address.
func (s *Store) StopNotices(ctx context.Context, stop string, now time.Time) ([]storage.PlayerID, error) {
	return storage.Updated(ctx, s.engine, "stop of notices", func(tx kv.Tx) ([]storage.PlayerID, error) { // without the code: it is a secret
		key := recipientOf(stop)
		r, err := Recipients.Get(tx, key)
		if err != nil {
			return nil, err
		}
		players := r.Players
		for _, id := range players {
			was, _, err := Contacts.Find(tx, id)
			if err != nil {
				return nil, err
			}
			c := was
			if c.Pending != nil && c.Pending.Stop == stop {
				c.Pending = nil
			}
			if c.Confirmed != nil && c.Confirmed.Stop == stop {
				c.Confirmed = nil
				if err := Queue.DeleteUnder(tx, string(id)); err != nil {
					return nil, err
				}
			}
			if err := c.put(tx, id, was); err != nil {
				return nil, err
			}
		}
		if r.Players = nil; r.Stopped.IsZero() {
			r.Stopped = storage.Stored(now)
		}
		return players, Recipients.Put(tx, key, r)
	})
}

// Contact returns where a player wants notices: the zero value, if nowhere.
func (s *Store) Contact(ctx context.Context, id storage.PlayerID) (Contact, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("address of player %s", id), func(r kv.Reader) (Contact, error) {
		c, _, err := Contacts.Find(r, id)
		return c, err
	})
}

// Contacted is a player with the kind of the confirmed address.
type Contacted struct {
	Player storage.PlayerID
	Kind   Kind // "" if there is none
}

func contacted(e storage.Entry[storage.PlayerID, Contact]) Contacted {
	c := Contacted{Player: e.Key}
	if e.Value.Confirmed != nil {
		c.Kind = e.Value.Confirmed.Kind
	}
	return c
}

// Contacted returns the players with a confirmed address.
func (s *Store) Contacted(ctx context.Context) ([]Contacted, error) {
	return storage.View(ctx, s.engine, "addresses of players", func(r kv.Reader) (all []Contacted, err error) {
		for e, err := range Contacts.All().Scan(r) {
			if err != nil {
				return nil, err
			}
			if c := contacted(e); c.Kind != "" {
				all = append(all, c)
			}
		}
		return all, nil
	})
}

// FollowContacts follows which players have a confirmed address until ctx ends; see storage.Follower.
func (s *Store) FollowContacts(ctx context.Context, f storage.Follower[storage.PlayerID, Contacted]) error {
	return storage.FollowPrefix(ctx, s.engine, Contacts.Prefix(), func(key, value []byte) (storage.Entry[storage.PlayerID, Contacted], error) {
		e, err := Contacts.Entry(key, value)
		return storage.Entry[storage.PlayerID, Contacted]{Key: e.Key, Value: contacted(e)}, err
	}, f)
}

// sweepContacts removes addresses whose codes have expired, and the times of codes of more than a day ago.
func (s *Store) sweepContacts(ctx context.Context, now time.Time) error {
	expired := func(_ kv.Reader, e storage.Entry[storage.PlayerID, Contact]) (bool, error) {
		c := e.Value
		return c.Pending != nil && !now.Before(c.Pending.Until) || len(since(c.Codes, Day, now)) < len(c.Codes), nil
	}
	return Contacts.All().SweepWith(ctx, s.engine, expired, func(tx kv.Tx, e storage.Entry[storage.PlayerID, Contact]) error {
		c := e.Value
		if c.Pending != nil && !now.Before(c.Pending.Until) {
			c.Pending = nil
		}
		c.Codes = since(c.Codes, Day, now)
		return c.put(tx, e.Key, e.Value)
	})
}
