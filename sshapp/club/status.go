package club

import (
	"time"

	"ludoteca/sshapp/club/clubstore"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/version"
	"ludoteca/storage/schema"
)

// statusSince returns what the operator is told of a node of the club that has run since then.
func (c *Club) statusSince(since time.Time, node string) func() status.Status {
	return func() status.Status {
		server, club := c.server.Load(), c.lobby.Load()
		up, missing := c.lobby.NodeNames()
		var backup *time.Time
		switch at, err := clubstore.LastBackup(c.config.Data); {
		case err != nil:
			c.log.Error("the time of the last backup can't be told", "err", err)
		case !at.IsZero():
			backup = &at
		}
		bytes, err := c.store.Size()
		if err != nil {
			c.log.Error("the store's size can't be told", "err", err)
		}
		now := status.Status{
			Since: since.UTC().Truncate(time.Second), UptimeSeconds: int64(time.Since(since).Seconds()),
			Connections: server.Connections, SigningIn: server.SigningIn, Sessions: server.Sessions,
			Here: club.Here, Programs: c.lobby.Engines.Playing(), Matches: club.Matches, Offers: club.Offers, BotsThinking: club.Thinking, BotsWaiting: club.Waiting,
			MatchesWaiting: club.Kinds.Waiting, MatchesPeople: club.Kinds.People, MatchesBots: club.Kinds.Bots,
			MatchesExhibitions: club.Kinds.Exhibitions, BotsLongestWait: club.LongestWait.Milliseconds(),
			Refusals: c.meters.Server.Refusals.Recent(time.Now()), Process: status.Self(),
			LentMachines: club.Lent.Machines, LentCores: club.Lent.Cores, LentBusy: club.Lent.Busy, LentAnswers: club.Lent.Answers,
			AnalysesWaiting: club.Analyses,
			NoticesSent:     c.meters.Club.Notices.Mail.Load() + c.meters.Club.Notices.Ntfy.Load(), NoticesFailed: c.meters.Club.Notices.Failed.Load(),
			NoticesGivenUp: c.meters.Club.Notices.Refused.Load() + c.meters.Club.Notices.GivenUp.Load(), NoticesWaiting: c.meters.Club.Notices.Waiting.Load(),
			Nodes: club.Nodes, NodesUp: up, NodesMissing: missing, NodeMatches: club.Owned,
			Moves:      c.meters.Club.Moves.Load() + c.meters.Club.BotMoves.Load(),
			LastBackup: backup, StoreSchema: schema.Schema(), StoreBytes: bytes, StoreQueue: c.store.Queued(), StoreWrite: c.meters.Store.Recent.Times(),
			DiskFree: status.Space(c.floor.Left()), DiskFloor: c.floor.Bytes(), DiskFull: c.floor.Full(),
			StoreRetries: c.meters.Store.Retries(), StoreDoubts: c.meters.Store.Doubts(),
		}
		v := version.Read()
		now.Version, now.Commit, now.Dirty, now.Go = v.Version, v.Commit, v.Dirty, v.Go
		if club.CutOff {
			now.CutOff(node)
		}
		c.store.Describe(&now)
		return now
	}
}
