package registry

import (
	"net/netip"
	"slices"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage/accounts"
)

// blocks says which blocks of addresses people come from, and how many matches each block has.
//
// How much of the club a person takes is counted by account and by the blocks that the person comes from, whichever is
// more: or many accounts of one person would be many people with a few matches each. A block may stand for origin.PeoplePerAddress people times its
// weight, so that a household or a school is not taken for one person. Addresses are known in memory alone, of people with matches, as
// they last came. After a restart an account counts by what the store keeps of the widest block that it came from, until it is back: the
// same block may count twice then, for people who are back and for people who are not. Guests are gone with their connections.
type blocks struct {
	ofPerson map[match.Key]Blocks // where people last came from, who have matches or are about to begin some
	matches  map[Block]int        // how many matches concern the people who come from a block, one between two of them twice
}

// Blocks are the blocks of addresses that a person comes from, the narrowest first.
type Blocks []Block

// A Block is a block of addresses that a person comes from.
type Block struct {
	origin.Block
	hash string // of a person who has not been back since the start: the salted hash of the block, whose addresses nobody knows
}

// BlocksOf returns the blocks of an address; none if it is not valid.
func BlocksOf(addr netip.Addr) (all Blocks) {
	for _, b := range origin.Blocks(addr) {
		all = append(all, Block{Block: b})
	}
	return all
}

// LastBlock returns the newest block among the visits of a player, the newest first; nil if there is none.
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

// Addr returns an address of the narrowest block whose addresses are known; the zero value if there is none.
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

// set notes where a person comes from whom some matches concern.
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

// forget forgets where a person comes from whom no match concerns.
func (b *blocks) forget(k match.Key) { delete(b.ofPerson, k) }

// share returns the share of a person whose account has some matches.
func (b *blocks) share(k match.Key, account int) share {
	s := share{account, account}
	for _, from := range b.ofPerson[k] {
		s.weighted = max(s.weighted, b.matches[from]/(origin.PeoplePerAddress*from.Weight))
	}
	return s
}
