// Package metrics exports the metrics of a club to Prometheus. Every label has a closed set of values, and all of them exist
// from the start at 0. Nothing that a client chooses ever becomes a label value.
package metrics

import (
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ludoteca/lobby"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/terminal"
	"ludoteca/sshapp/version"
	"ludoteca/storage/kv"
)

// Metrics holds the meters of one club. Each field goes to the part of the club that counts with it.
type Metrics struct {
	Server  *Server
	Screens *terminal.Stats
	Club    *lobby.Stats
	Store   *Store
}

// New makes the metrics of a club and registers them. It panics if the registry has metrics of the same names already. refusals
// are all reasons for which the server refuses something, and endings all reasons for which a connection ends.
func New(reg prometheus.Registerer, refusals, endings []string) *Metrics {
	m := &Metrics{
		Server: NewServer(refusals, endings), Screens: new(terminal.Stats), Club: new(lobby.Stats), Store: newStore(),
	}
	reg.MustRegister(append(m.Server.collectors(), m.Store.collectors()...)...)
	reg.MustRegister(m.counters()...)
	reg.MustRegister(buildInfo(version.Read()))
	return m
}

// buildInfo returns a gauge that is always 1, whose labels say which version of the program runs.
func buildInfo(v version.Info) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1; the labels say which version of the program runs.",
		ConstLabels: prometheus.Labels{"version": v.Version, "commit": v.Commit, "dirty": strconv.FormatBool(v.Dirty), "go": v.Go},
	}, func() float64 { return 1 })
}

// counters read what the driver and the lobby count by themselves.
func (m *Metrics) counters() []prometheus.Collector {
	s, c := m.Screens, m.Club
	return []prometheus.Collector{
		total("keys_total", "Key presses, clicks and pastes that reached a screen.", s.Keys.Load),
		total("frames_total", "Frames written to terminals.", s.Frames.Load),
		total("frames_coalesced_total", "Changes of a screen that shared a later frame.", s.Coalesced.Load),
		total("frame_bytes_total", "Bytes of frames written.", s.Bytes.Load),
		total("input_dropped_bytes_total", "Typed bytes thrown away: too fast, too long a paste, malformed.", s.Dropped.Load),
		total("window_clamps_total", "Window sizes that had to be clamped.", s.Clamps.Load),
		total("stalls_total", "Full-screen sessions ended because their client stopped reading.", s.Stalls.Load),
		total("screen_panics_total", "Panics of screens, caught.", s.Panics.Load),

		total("matches_opened_total", "Matches opened, offers included.", c.Opened.Load),
		total("matches_ended_total", "Matches ended, offers that were taken back included.", c.Ended.Load),
		labelled("moves_total", "Moves played.", "by", "person", c.Moves.Load),
		labelled("moves_total", "Moves played.", "by", "bot", c.BotMoves.Load),
		total("match_panics_total", "Panics in the rules of a game, caught.", c.Panics.Load),
		total("analyses_total", "Finished matches that were analysed.", c.Analysed.Load),
		total("analysis_failures_total", "Analyses that could not be made or kept.", c.AnalysisFailures.Load),
		total("takeovers_total", "Matches that this node has taken over from others.", c.Takeovers.Load),
		total("followed_total", "Changes of matches made by other nodes.", c.Followed.Load),
		seconds("followed_lag_seconds_total", "Total time from these changes to their arrival at this node.", c.FollowedLag.Load),
		labelled("notices_total", "Notices that have left the club, codes included.", "kind", "mail", c.Notices.Mail.Load),
		labelled("notices_total", "Notices that have left the club, codes included.", "kind", "ntfy", c.Notices.Ntfy.Load),
		total("notice_failures_total", "Tries to send a notice that have failed.", c.Notices.Failed.Load),
		total("notices_refused_total", "Notices that a server has refused for good.", c.Notices.Refused.Load),
		total("notices_given_up_total", "Notices that could not be sent for a day.", c.Notices.GivenUp.Load),
		total("bot_failures_total", "Computer players that found no move and resigned.", c.Failed.Load),
	}
}

// Watch registers gauges that read the status from source. It panics if the registry has them already.
func Watch(reg prometheus.Registerer, source func() status.Status) {
	reg.MustRegister(&gauges{source: source})
}

// gauges asks its source once for all of them.
type gauges struct{ source func() status.Status }

// A gauge is one number of a status.
type gauge struct {
	desc *prometheus.Desc
	of   func(*status.Status) float64
}

func newGauge(name, help string, of func(*status.Status) float64) gauge {
	return gauge{prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, nil, nil), of}
}

// alarm returns a gauge that is 1 while etcd raises an alarm.
func alarm(name string) func(*status.Status) float64 {
	return func(s *status.Status) float64 {
		if slices.Contains(s.StoreAlarms, name) {
			return 1
		}
		return 0
	}
}

func allGauges() []gauge {
	return []gauge{
		newGauge("connections", "Connections now, signed in or not.", func(s *status.Status) float64 { return float64(s.Connections) }),
		newGauge("connections_signing_in", "Connections now that have not signed in yet.", func(s *status.Status) float64 { return float64(s.SigningIn) }),
		newGauge("sessions", "Sessions now.", func(s *status.Status) float64 { return float64(s.Sessions) }),
		newGauge("people", "People here now, each counted once.", func(s *status.Status) float64 { return float64(s.Here) }),
		newGauge("programs", "Programs of computer accounts that play on this node.", func(s *status.Status) float64 { return float64(s.Programs) }),
		newGauge("matches", "Unfinished matches, offers included.", func(s *status.Status) float64 { return float64(s.Matches) }),
		newGauge("offers", "Public offers that nobody has taken.", func(s *status.Status) float64 { return float64(s.Offers) }),
		newGauge("bots_thinking", "Computer players that look for a move.", func(s *status.Status) float64 { return float64(s.BotsThinking) }),
		newGauge("bots_waiting", "Computer players that wait for a worker.", func(s *status.Status) float64 { return float64(s.BotsWaiting) }),
		newGauge("lent_machines", "Machines that lend cores.", func(s *status.Status) float64 { return float64(s.LentMachines) }),
		newGauge("lent_cores", "Cores that other machines lend.", func(s *status.Status) float64 { return float64(s.LentCores) }),
		newGauge("lent_busy", "Lent cores that look for a move.", func(s *status.Status) float64 { return float64(s.LentBusy) }),
		newGauge("lent_answers", "Searches that other machines have done since the start.", func(s *status.Status) float64 { return float64(s.LentAnswers) }),
		newGauge("analyses_waiting", "Finished matches that wait to be analysed.", func(s *status.Status) float64 { return float64(s.AnalysesWaiting) }),
		newGauge("notices_waiting", "Notices that wait to be sent, in the whole club.", func(s *status.Status) float64 { return float64(s.NoticesWaiting) }),
		newGauge("store_queue", "Changes that wait for the disk.", func(s *status.Status) float64 { return float64(s.StoreQueue) }),
		newGauge("store_bytes", "Size of the store's file, of the largest file of a member of etcd, or of the tables on PostgreSQL.", func(s *status.Status) float64 { return float64(s.StoreBytes) }),
		newGauge("store_members", "Configured members of etcd, 1 for PostgreSQL; 0 for a store in a file.", func(s *status.Status) float64 { return float64(s.StoreMembers) }),
		newGauge("store_members_reachable", "Members of etcd that answer, 1 while PostgreSQL does.", func(s *status.Status) float64 { return float64(s.StoreReachable) }),
		newGauge("store_alarm_nospace", "1 while etcd raises the alarm NOSPACE, or the disk of PostgreSQL is full, so that nothing can be written.", alarm(status.AlarmNoSpace)),
		newGauge("store_alarm_corrupt", "1 while etcd raises the alarm CORRUPT.", alarm(status.AlarmCorrupt)),
		newGauge("nodes", "Nodes of the club that are up; 0 while this node is cut off and can't tell.", func(s *status.Status) float64 { return float64(s.Nodes) }),
		newGauge("node_matches", "Unfinished matches that this node owns.", func(s *status.Status) float64 { return float64(s.NodeMatches) }),
		newGauge("node_cut_off", "1 while this node is cut off from the store, so that its players can't move.", func(s *status.Status) float64 {
			if s.NodeCutOff {
				return 1
			}
			return 0
		}),
		newGauge("last_backup_timestamp_seconds", "When the last good backup was made on this machine, in seconds since 1970; 0 if none is known.", func(s *status.Status) float64 {
			if s.LastBackup == nil {
				return 0
			}
			return float64(s.LastBackup.UnixMilli()) / 1000
		}),
		newGauge("disk_free_bytes", "Free space on the disk of the data folder, or below etcd's quota; -1 if it is not known.", func(s *status.Status) float64 { return float64(s.DiskFree) }),
		newGauge("disk_full", "1 while new matches and accounts are refused for lack of free space.", func(s *status.Status) float64 {
			if s.DiskFull {
				return 1
			}
			return 0
		}),
	}
}

// Describe implements prometheus.Collector.
func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, one := range allGauges() {
		ch <- one.desc
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	s := g.source()
	for _, one := range allGauges() {
		ch <- prometheus.MustNewConstMetric(one.desc, prometheus.GaugeValue, one.of(&s))
	}
}

// namespace begins the name of every metric.
const namespace = "ludoteca"

func total(name, help string, read func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help},
		func() float64 { return float64(read()) })
}

// seconds makes a counter of a time that read returns in nanoseconds.
func seconds(name, help string, read func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help},
		func() float64 { return time.Duration(read()).Seconds() })
}

func labelled(name, help, label, value string, read func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(
		prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: prometheus.Labels{label: value}},
		func() float64 { return float64(read()) })
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

// by makes a counter for each value of a label, and no more: counting for another value is a mistake of ours.
func by(name, help, label string, values ...string) (*prometheus.CounterVec, map[string]prometheus.Counter) {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, []string{label})
	each := make(map[string]prometheus.Counter, len(values))
	for _, v := range values {
		each[v] = vec.WithLabelValues(v)
	}
	return vec, each
}

func histogram(name, help string, buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets})
}

// A Store counts the retries, failures and times of the store.
type Store struct {
	Recent status.Recent // the latest writes

	reads, writes, commits, changes prometheus.Histogram
	failures                        prometheus.Counter

	retries, doubts, unknown atomic.Int64
}

// Retries returns the number of changes that were retried.
func (s *Store) Retries() int64 { return s.retries.Load() }

// Doubts returns the number of commits that got no answer in time.
func (s *Store) Doubts() int64 { return s.doubts.Load() }

func newStore() *Store {
	seconds := prometheus.ExponentialBuckets(0.0001, 2.5, 12) // 0.1 ms to 2.4 s
	return &Store{
		reads:    histogram("store_read_seconds", "Time of a reading call; a backup is one.", seconds),
		writes:   histogram("store_write_seconds", "Time of a change from the call to its answer.", seconds),
		commits:  histogram("store_commit_seconds", "Time of a transaction.", seconds),
		changes:  histogram("store_commit_changes", "Changes in a transaction.", prometheus.ExponentialBuckets(1, 2, 10)),
		failures: counter("store_failures_total", "Transactions that failed."),
	}
}

func (s *Store) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		s.reads, s.writes, s.commits, s.changes, s.failures,
		total("store_retries_total", "Changes retried because another change was faster or a commit got no answer.", s.retries.Load),
		total("store_doubts_total", "Commits that got no answer in time.", s.doubts.Load),
		total("store_unknown_total", "Of these, commits whose outcome was not found out in time.", s.unknown.Load),
	}
}

// Meters returns the meters for the store to report to.
func (s *Store) Meters() kv.Meters {
	return kv.Meters{
		Read: func(took time.Duration) { s.reads.Observe(took.Seconds()) },
		Write: func(took time.Duration) {
			s.writes.Observe(took.Seconds())
			s.Recent.Add(took)
		},
		Commit: func(changes int, took time.Duration, err error) {
			s.commits.Observe(took.Seconds())
			s.changes.Observe(float64(changes))
			if err != nil {
				s.failures.Inc()
			}
		},
		Retry: func() { s.retries.Add(1) },
		Doubt: func(known bool) {
			s.doubts.Add(1)
			if !known {
				s.unknown.Add(1)
			}
		},
	}
}
