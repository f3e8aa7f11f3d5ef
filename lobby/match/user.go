package match

import "ludoteca/storage"

// A User is a player or a guest of the club. Users can be compared.
type User struct {
	Kind storage.OccupantKind // storage.Person, storage.Guest or storage.Engine
	ID   string
	Name string
}

// Player returns the player's id; "" for a guest.
func (u User) Player() storage.PlayerID {
	if !u.Kind.HasAccount() {
		return ""
	}
	return storage.PlayerID(u.ID)
}

// Occupant returns u as the occupant of a seat.
func (u User) Occupant() storage.Occupant { return storage.Occupant(u) }

// Is reports whether u is the occupant o of a seat.
func (u User) Is(o storage.Occupant) bool { return u.Key() == KeyOf(o) && u.ID != "" }

// Key returns the key of u.
func (u User) Key() Key { return KeyOf(u.Occupant()) }

// A Key identifies a player, a guest or a computer player. The zero value identifies none. The Kind of a computer account is that of a player: who
// knows only the id of an account need not know which of both it is.
type Key struct {
	Kind storage.OccupantKind
	ID   string
}

// PersonOf returns the name of an occupant in origin.Origin.Person.
func PersonOf(o storage.Occupant) string { return string(KeyOf(o).Kind) + " " + o.ID }

// KeyOf returns the key of an occupant.
func KeyOf(o storage.Occupant) Key {
	if o.Kind.HasAccount() {
		return Key{storage.Person, o.ID}
	}
	return Key{o.Kind, o.ID}
}

// SameUser reports whether both seats are held by the same user. The names may differ, for two people at one keyboard.
func SameUser(seats [2]storage.Occupant) bool { return KeyOf(seats[0]) == KeyOf(seats[1]) }
