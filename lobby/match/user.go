package match

import "ludoteca/storage"

// A User is a player or a guest who uses the club. Users can be compared.
type User struct {
	Kind storage.OccupantKind // storage.Person or storage.Guest
	ID   string
	Name string
}

// Player returns the player's id; "" for a guest.
func (u User) Player() storage.PlayerID {
	if u.Kind != storage.Person {
		return ""
	}
	return storage.PlayerID(u.ID)
}

// Occupant returns u as it sits in a seat.
func (u User) Occupant() storage.Occupant { return storage.Occupant(u) }

// Is reports whether u is the occupant.
func (u User) Is(o storage.Occupant) bool { return u.Kind == o.Kind && u.ID == o.ID && u.ID != "" }

// Key returns the key of u.
func (u User) Key() Key { return KeyOf(u.Occupant()) }

// A Key identifies a player, a guest or a computer player. The zero value is nobody.
type Key struct {
	Kind storage.OccupantKind
	ID   string
}

// PersonOf returns somebody as an origin.Origin names people.
func PersonOf(o storage.Occupant) string { return string(o.Kind) + " " + o.ID }

// KeyOf returns the key of an occupant.
func KeyOf(o storage.Occupant) Key { return Key{o.Kind, o.ID} }

// SameUser reports whether two seats are held by the same user. At one keyboard they may have names of their own.
func SameUser(seats [2]storage.Occupant) bool { return KeyOf(seats[0]) == KeyOf(seats[1]) }
