package registry

import (
	"net/netip"
	"slices"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage/accounts"
)

// blocks has the blocks of addresses that people come from, and the number of matches of each block.
//
// The share of a person is the larger one of the share of the account and the shares of the blocks that the person comes from: otherwise
// many accounts of one person would count as many people with few matches each. A block counts as origin.PeoplePerAddress people times its
// weight, so that a household or a school does not count as one person. Addresses are in memory only, of people with matches, as of their
// last connection. After a restart an account counts by the widest block that the store keeps, until the player is back. A block may count
// twice then: for people who are back and for people who are not. Guests end with their connections.
type blocks struct {
	ofPerson map[match.Key]Blocks // last known blocks of people with matches or reservations
	matches  map[Block]int        // number of matches by block; a match between two people of one block counts twice
}

// Blocks are the blocks of addresses that a person comes from, the narrowest first.
type Blocks []Block

// A Block is a block of addresses that a person comes from.
type Block struct {
	origin.Block
	hash string // set for a person who has not been back since the start: the salted hash of a block with unknown addresses
}

// BlocksOf returns the blocks of an address, or nil if it is not valid.
func BlocksOf(addr netip.Addr) (all Blocks) {
	for _, b := range origin.Blocks(addr) {
		all = append(all, Block{Block: b})
	}
	return all
}

// LastBlock returns the newest block among the visits of a player, or nil if there is none. The newest visit must come first.
func LastBlock(visits []accounts.Visit) Blocks {
	i := slices.IndexFunc(visits, func(v accounts.Visit) bool { return !v.IsKey() })
	if i < 0 {
		return nil
	}
	v := visits[i]
	if p, err := netip.ParsePrefix(v.From); err == nil {
		return Blocks{{Block: origin.Widest(p.Addr())}}
	}
	some := netip.IPv4Unspecified()
	if v.IsHashOfIPv6() {
		some = netip.IPv6Unspecified()
	}
	return Blocks{{Block: origin.Block{Weight: origin.Widest(some).Weight}, hash: v.From}}
}

// Addr returns an address of the narrowest block with known addresses, or the zero value if there is none.
func (b Blocks) Addr() netip.Addr {
	for _, one := range b {
		if one.hash == "" {
			return one.Addr()
		}
	}
	return netip.Addr{}
}

func newBlocks() blocks {
	return blocks{ofPerson: make(map[match.Key]Blocks), matches: make(map[Block]int)}
}

// set sets the blocks of a person with a number of matches.
func (b *blocks) set(k match.Key, from Blocks, matches int) {
	if slices.Equal(from, b.ofPerson[k]) {
		return
	}
	b.add(k, -matches)
	b.ofPerson[k] = from
	b.add(k, matches)
}

// add adds n matches to the blocks that a person comes from.
func (b *blocks) add(k match.Key, n int) {
	for _, from := range b.ofPerson[k] {
		if b.matches[from] += n; b.matches[from] == 0 {
			delete(b.matches, from)
		}
	}
}

// forget removes the blocks of a person without matches.
func (b *blocks) forget(k match.Key) { delete(b.ofPerson, k) }

// share returns the share of a person. account is the number of their matches.
func (b *blocks) share(k match.Key, account int) share {
	s := share{account, account}
	for _, from := range b.ofPerson[k] {
		s.weighted = max(s.weighted, b.matches[from]/(origin.PeoplePerAddress*from.Weight))
	}
	return s
}
