package club

import (
	"github.com/spf13/pflag"

	"ludoteca/lobby"
	"ludoteca/sshapp"
	"ludoteca/sshapp/flagset"
)

// The groups of the flags of a club, in the order of help.
const (
	reached  = "How people reach the club"
	kept     = "What is kept"
	run      = "How the club is run"
	several  = "Several nodes"
	ofPeople = "Limits of matches and players"
)

// AddFlags declares every flag of a club. The most needed ones come first.
func (s *Config) AddFlags(to *pflag.FlagSet) {
	flagset.Add(to, reached, func(f *pflag.FlagSet) {
		f.StringVar(&s.Listen, "listen", s.Listen, "`ADDRESS` to listen on, unless systemd hands a socket over")
		f.StringVar(&s.PublicAddress, "public-address", s.PublicAddress, "`HOST` or HOST:PORT by which people reach the club, for every command that they are told; without it that of --listen, with the name of this machine")
		f.StringVar(&s.ClubName, "club-name", s.ClubName, "`TEXT` that people read as the name of the club; Ludoteca without it")
		f.StringVar(&s.Welcome, "welcome", s.Welcome, "`FILE` with up to three lines of text, of up to 76 columns, for the first screen")
		f.BoolVar(&s.NoGuests, "no-guests", s.NoGuests, "refuse clients without a key")
		f.StringSliceVar(&s.ProxyFrom, "proxy-from", s.ProxyFrom, "`NETWORK` of trusted proxies, whose connections must begin with a PROXY header; can be given several times")
		f.StringSliceVar(&s.Relays, "relay", s.Relays, "`ADDRESS` of a relay that brings many people, such as another club or a web terminal: its people are told apart by key, and the limits by address spare them; can be given several times")
	})
	flagset.Add(to, kept, func(f *pflag.FlagSet) {
		f.StringVar(&s.Data, "data", s.Data, "`FOLDER` with everything the club keeps")
		f.Var(&s.FreeSpace, "free-space", "free space on the disk, or below etcd's quota, under which new matches and accounts are refused; 0 refuses none")
		f.DurationVar(&s.ClubLimits.KeepCasual, "keep-casual", s.ClubLimits.KeepCasual, "time for which matches of guests, those against Random and Greedy, and those of two computer players are kept; 0 keeps them for ever")
		f.BoolVar(&s.KeepAddresses, "keep-addresses", s.KeepAddresses, "keep the blocks of addresses that players come from as they are, not only salted hashes of them")
		f.BoolVar(&s.Compact, "compact", s.Compact, "make the file of the store as small as it can be before the club opens")
		f.BoolVar(&s.NoMigrationCopy, "no-migration-copy", s.NoMigrationCopy, "don't copy the store to a file in the data folder before a newer version migrates it")
	})
	flagset.Add(to, run, func(f *pflag.FlagSet) {
		f.StringSliceVar(&s.Operators, "operator", s.Operators, "`FINGERPRINT` (SHA256:...) of a key that may use ssh HOST operator; can be given several times")
		f.IntVar(&s.Workers, "bot-workers", s.Workers, "computer players that think at a time; 0 leaves one core to people")
		f.StringSliceVar(&s.WorkerKeys, "worker", s.WorkerKeys, "`FINGERPRINT` (SHA256:...) of a key with which ludoteca worker lends the cores of another machine; can be given several times")
		f.StringVar(&s.Metrics, "metrics", s.Metrics, "loopback `ADDRESS` for Prometheus, and for the checks /ready and /live of a balancer, such as 127.0.0.1:9222; none when empty")
		f.BoolVar(&s.MetricsPublic, "metrics-public", s.MetricsPublic, "let --metrics be an address that others can reach")
		f.DurationVar(&s.StopTimeout, "stop-timeout", s.StopTimeout, "time after which a club that is stopping ends, whatever goes on")
	})
	s.Notices.addFlags(to)
	s.Place.AddFlags(to)
	flagset.Add(to, several, func(f *pflag.FlagSet) {
		f.StringVar(&s.Node, "node", s.Node, "`NAME` of this node, unique among the nodes of the club")
	})
	s.addLimits(to)
}

// AddAddressFlags declares the flags by which a command knows a club: its data folder, and how people reach it.
func (s *Config) AddAddressFlags(to *pflag.FlagSet) {
	all := pflag.NewFlagSet("club", pflag.ContinueOnError)
	s.AddFlags(all)
	for _, name := range []string{"data", "listen", "public-address"} {
		to.AddFlag(all.Lookup(name))
	}
}

// addLimits declares the flags of all limits.
func (s *Config) addLimits(to *pflag.FlagSet) {
	s.Limits.AddFlags(to)
	addClubLimits(to, &s.ClubLimits)
}

// addClubLimits declares the flags of the limits of what people can make the club do.
func addClubLimits(to *pflag.FlagSet, l *lobby.Limits) {
	flagset.AddLimits(to, ofPeople, func(f *pflag.FlagSet) {
		f.IntVar(&l.OpenOffers, "max-offers", l.OpenOffers, "open offers of one person")
		f.IntVar(&l.Challenges, "max-challenges", l.Challenges, "open challenges of one person")
		f.IntVar(&l.ChallengesTo, "max-challenges-to", l.ChallengesTo, "open challenges to one person")
		f.IntVar(&l.NewUnfinished, "max-matches-new", l.NewUnfinished, "unfinished matches of one player with a new account, offers included")
		f.IntVar(&l.Unfinished, "max-matches-player", l.Unfinished, "unfinished matches, offers included, of one player whose account is a month old and who has finished 20 matches; others are between this and max-matches-new")
		f.IntVar(&l.GuestUnfinished, "max-matches-guest", l.GuestUnfinished, "unfinished matches of one guest, offers included")
		f.IntVar(&l.Exhibitions, "max-exhibitions", l.Exhibitions, "unfinished matches between two computer players that one player has opened")
		f.IntVar(&l.Matches, "max-matches", l.Matches, "unfinished matches in the whole club")
		f.IntVar(&l.LivePlies, "max-moves-memory", l.LivePlies, "moves of unfinished matches in memory, about; matches that nobody looks at are on disk alone")
		f.IntVar(&l.Engines, "max-engines", l.Engines, "programs of computer accounts that play at a time, on one node")
		f.IntVar(&l.EnginesPerAddress, "max-engines-address", l.EnginesPerAddress, "programs of computer accounts from one address that play at a time")
		f.IntVar(&l.EngineMatches, "max-engine-matches", l.EngineMatches, "matches that one program of a computer account plays at a time, at most 8")
		f.DurationVar(&l.AwayGuest, "away-guest", l.AwayGuest, "time that a guest may be gone before they have left their matches")
		f.DurationVar(&l.EvictAfter, "give-way", l.EvictAfter, "when max-matches is reached, time without a move after which a match between two people may be called off; those of people with many matches go first")
		f.DurationVar(&l.EvictAloneAfter, "give-way-alone", l.EvictAloneAfter, "when max-matches is reached, time without a move after which an offer may be called off, or a match with a computer player or at one keyboard at which nobody looks; these go before the matches of give-way")
		f.IntVar(&l.MatchBurst, "match-burst", l.MatchBurst, "matches that one person may open, or resign, in a row; four times as many from one address")
		f.DurationVar(&l.MatchEvery, "match-every", l.MatchEvery, "time after which one person may open, or resign, one match more than match-burst")
		f.IntVar(&l.Aborts, "max-aborts", l.Aborts, "matches with another person that one may call off, or keep waiting for a first move, in a row; then the next such match has to wait")
		f.DurationVar(&l.AbortEvery, "abort-every", l.AbortEvery, "time after which one person may call off one match more than max-aborts")
	})
}

// checkLimits says which limit can't be.
func (s *Config) checkLimits() error {
	flags := pflag.NewFlagSet("limits", pflag.ContinueOnError)
	addClubLimits(flags, &s.ClubLimits)
	if name := flagset.NotPositive(flags); name != "" {
		return &sshapp.LimitError{Name: name}
	}
	return s.Limits.Check()
}
