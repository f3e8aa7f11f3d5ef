package board

// Mix spreads the bits of a number over all of it: the finalizer of MurmurHash3 with the constants of Stafford's variant 13.
// Different numbers stay different.
func Mix(k uint64) uint64 {
	k ^= k >> 32
	k *= 0xbf58476d1ce4e5b9
	k ^= k >> 29
	k *= 0x94d049bb133111eb
	return k ^ k>>32
}
