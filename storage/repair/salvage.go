// Package repair copies a store to another engine, and saves what can be read of a damaged one. It goes by what the tables say of themselves.
package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/chat"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
	"ludoteca/storage/migrations"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
)

// A Salvager reads what can be read of a damaged store.
type Salvager interface {
	Salvage(ctx context.Context, o kv.SalvageOptions, put func(kv.Salvaged) error) (kv.SalvageReport, error)
}

// A SalvageReport says what of a damaged store was saved. Its JSON form is a contract with scripts.
type SalvageReport struct {
	Lost     bool           `json:"lost"`      // something is lost, or may be
	MetaLost bool           `json:"meta_lost"` // the last commit may be missing
	FreeLost bool           `json:"free_lost"` // pages that nothing leads to were left alone: they may be old
	Kinds    []SalvagedKind `json:"kinds"`
	Ranges   []SalvageLoss  `json:"ranges"`      // of keys, that could not be read where they should be
	Notes    []SalvageNote  `json:"notes"`       // matches and players of which something is lost
	More     int            `json:"more_notes"`  // beyond those listed
	MoreLost int            `json:"more_ranges"` // the same
	Ratings  int            `json:"ratings"`     // that were put right
}

// A SalvagedKind is how many entries of a kind were saved. A kind has the name of its section.
type SalvagedKind struct {
	Kind    string `json:"kind"`
	Kept    int    `json:"kept"`
	Earlier int    `json:"earlier"` // of those kept, as an earlier commit held them: they may be out of date
	Damaged int    `json:"damaged"` // were read and made no sense
	Dropped int    `json:"dropped"` // made sense, and belonged to nothing that is there
	Rebuilt int    `json:"rebuilt"` // were missing, and follow from what is there
}

// A SalvageLoss is a range of keys of which some could not be read.
type SalvageLoss struct {
	Kind    string   `json:"kind"`
	After   string   `json:"after"`  // "" is the beginning
	Before  string   `json:"before"` // "" is the end
	Pages   []uint64 `json:"pages"`
	Problem string   `json:"problem"`
	Rows    int      `json:"rows"`    // known to be lost
	Found   int      `json:"found"`   // on pages nothing led to, and sure
	Earlier int      `json:"earlier"` // from an earlier commit
	Whole   bool     `json:"whole"`   // nothing is lost
}

// A SalvageNote says what became of one match or player.
type SalvageNote struct {
	Kind string `json:"kind"` // match or player
	ID   string `json:"id"`
	What string `json:"what"`
}

// maxNotes is how many notes a report lists.
const maxNotes = 1000

// Salvage writes all that can be read of a damaged store to an empty engine, and makes a consistent store of it: indexes, codes and
// ratings are made anew from players, records, logs and results; entries that belong to nothing are dropped; and a log goes as far as it
// can be read. The report says what is lost. The error is an error of the engine or of ctx, or wraps ErrNewer or ErrDamaged if there is
// nothing to save.
func Salvage(ctx context.Context, from Salvager, engine kv.Store, c schema.Config, now time.Time) (*SalvageReport, error) {
	r := &repair{engine: engine, now: now, kinds: map[string]*SalvagedKind{}, lost: map[storage.PlayerID]*lostPlayer{}}
	err := engine.View(ctx, func(r kv.Reader) error {
		n, err := migrations.Schema(r)
		if err == nil && n != 0 {
			err = errors.New("there is a store already")
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("storage: salvage: %w", err)
	}
	o := kv.SalvageOptions{Sections: schema.TableNames(), Fits: func(name string, key, value []byte) bool {
		k := schema.TableNamed(name)
		return k == nil || k.Valid(key, migrations.Rewrite(name, value)) == nil
	}}
	file, err := from.Salvage(ctx, o, func(e kv.Salvaged) error { return r.take(ctx, e) })
	if err == nil {
		err = r.write(ctx)
	}
	if err == nil {
		err = r.all(ctx, c)
	}
	if err != nil {
		return nil, fmt.Errorf("storage: salvage: %w", err)
	}
	return r.finish(file), nil
}

// A repair makes a store of the entries of a damaged one.
type repair struct {
	engine kv.Store
	now    time.Time
	batch  []kv.Salvaged
	bytes  int // in batch
	kinds  map[string]*SalvagedKind
	report SalvageReport
	lost   map[storage.PlayerID]*lostPlayer // named by some entry, but without one of their own
}

// A lostPlayer is a player whose account is lost, with what other entries say of them.
type lostPlayer struct {
	name, nameKey string
	since         time.Time
	engine        bool // it was a computer account
}

// A transaction is full once it has repairStep entries, or repairBytes bytes of them.
const (
	repairStep  = 1000
	repairBytes = 4 << 20
)

func (r *repair) kind(name string) *SalvagedKind {
	k := r.kinds[name]
	if k == nil {
		k = &SalvagedKind{Kind: name}
		r.kinds[name] = k
	}
	return k
}

func (r *repair) note(kind, id, what string) {
	if len(r.report.Notes) == maxNotes {
		r.report.More++
		return
	}
	r.report.Notes = append(r.report.Notes, SalvageNote{kind, id, what})
}

// take takes in an entry of the damaged store.
func (r *repair) take(ctx context.Context, e kv.Salvaged) error {
	name, key, _ := bytes.Cut(e.Key, []byte{0})
	e.Value = migrations.Rewrite(string(name), e.Value) // the store may be of an older version
	if k := schema.TableNamed(string(name)); k != nil {
		if k.Valid(key, e.Value) != nil {
			r.kind(k.TableName()).Damaged++
			if subject := k.TableTraits().Subject; subject != "" {
				id, _, _ := bytes.Cut(key, []byte{0})
				r.note(subject, storage.Printable(id), "an entry in "+k.TableName()+" is damaged")
			}
			return nil
		}
		if k.TableTraits().Anew || k.TableTraits().Brief || k.TableName() == storage.Meta && (string(key) == accounts.LookalikesIndex.Name || string(key) == results.TalliesIndex.Name || string(key) == results.OpeningsIndex.Name) {
			return nil
		}
	}
	r.batch = append(r.batch, kv.Salvaged{Key: bytes.Clone(e.Key), Value: bytes.Clone(e.Value), Source: e.Source})
	r.bytes += len(e.Key) + len(e.Value)
	if len(r.batch) < repairStep && r.bytes < repairBytes {
		return nil
	}
	return r.write(ctx)
}

// write writes the entries that were taken in.
func (r *repair) write(ctx context.Context) error {
	var kept []kv.Salvaged
	err := r.engine.Update(ctx, func(tx kv.Tx) error {
		kept = kept[:0]
		for _, e := range r.batch {
			if e.Source != kv.Sure {
				there, err := storage.Has(tx, e.Key)
				if err != nil {
					return err
				}
				if there {
					continue
				}
			}
			tx.Put(e.Key, e.Value)
			kept = append(kept, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range kept {
		name, _, _ := bytes.Cut(e.Key, []byte{0})
		k := r.kind(string(name))
		k.Kept++
		if e.Source == kv.Earlier {
			k.Earlier++
		}
	}
	r.batch, r.bytes = r.batch[:0], 0
	return nil
}

// Entries makes a consistent store of what was written.
func (r *repair) all(ctx context.Context, c schema.Config) error {
	if err := r.setSchema(ctx); err != nil {
		return err
	}
	s, err := schema.Open(ctx, r.engine, c)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		of   kv.Range
		each func(t *repairTx, p kv.Pair) error
	}{
		{accounts.Players.All().Range, repairPlayer}, {accounts.Names.All().Range, repairName}, {accounts.Keys.All().Range, repairKey}, {accounts.PlayerKeys.All().Range, repairPlayerKey},
		{results.Results.All().Range, repairResult}, {results.Records.All().Range, repairRecord}, {results.History.All().Range, repairHistory}, {results.Analyses.All().Range, repairAnalysis},
	} {
		if err := r.each(ctx, step.of, step.each); err != nil {
			return err
		}
	}
	if err := r.logs(ctx); err != nil {
		return err
	}
	if err := r.each(ctx, chat.Lines.All().Range, repairChat); err != nil {
		return err
	}
	if err := r.rebuildPlayers(ctx); err != nil {
		return err
	}
	if c.Rate == nil {
		return nil
	}
	ratings, err := s.Results.Recompute(ctx)
	r.report.Ratings = len(ratings.Differed)
	return err
}

// setSchema makes the sections, and notes the present schema if the damaged store doesn't say which it had: all values have their present
// forms.
func (r *repair) setSchema(ctx context.Context) error {
	return r.engine.Update(ctx, func(tx kv.Tx) error {
		kv.MakeSections(tx, schema.TableNames()...)
		_, there, err := schema.SchemaNumber.Find(tx)
		if err == nil && !there {
			err = schema.SchemaNumber.Put(tx, migrations.Count())
		}
		return err
	})
}

// A repairTx is one transaction of a repair. What it finds counts only when it is committed.
type repairTx struct {
	kv.Tx
	now   time.Time
	found []func(r *repair)
}

func (t *repairTx) rebuilt(name string) {
	t.found = append(t.found, func(r *repair) { r.kind(name).Rebuilt++ })
}

func (t *repairTx) dropped(name string, key []byte) {
	t.Delete(key)
	t.found = append(t.found, func(r *repair) { r.kind(name).Dropped++ })
}

func (t *repairTx) note(kind, id, what string) {
	t.found = append(t.found, func(r *repair) { r.note(kind, id, what) })
}

// lostPlayer notes that a player is named and not there.
func (t *repairTx) lostPlayer(id storage.PlayerID, nameKey string) {
	t.found = append(t.found, func(r *repair) {
		p := r.lost[id]
		if p == nil {
			p = new(lostPlayer)
			r.lost[id] = p
		}
		if nameKey != "" {
			p.nameKey = nameKey
		}
	})
}

// know notes that a player is lost if they aren't there.
func (t *repairTx) know(ids ...storage.PlayerID) error {
	for _, id := range ids {
		known, err := accounts.Players.Has(t, id)
		if err != nil {
			return err
		}
		if !known && storage.IsPlayerID(id) {
			t.lostPlayer(id, "")
		}
	}
	return nil
}

// seen notes what a match says of the people who sat at it.
func (t *repairTx) seen(at time.Time, occupants ...storage.Occupant) error {
	for _, o := range occupants {
		if o.Kind.HasAccount() {
			if err := t.know(storage.PlayerID(o.ID)); err != nil {
				return err
			}
		}
	}
	t.found = append(t.found, func(r *repair) {
		for _, o := range occupants {
			p := r.lost[storage.PlayerID(o.ID)]
			if !o.Kind.HasAccount() || p == nil {
				continue
			}
			p.name = o.Name
			p.engine = p.engine || o.Kind == storage.Engine
			if !at.IsZero() && (p.since.IsZero() || at.Before(p.since)) {
				p.since = at
			}
		}
	})
	return nil
}

// Update runs one transaction of a repair.
func (r *repair) update(ctx context.Context, change func(t *repairTx) error) error {
	var found []func(*repair)
	err := r.engine.Update(ctx, func(tx kv.Tx) error {
		t := &repairTx{Tx: tx, now: r.now}
		err := change(t)
		found = t.found
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range found {
		f(r)
	}
	return nil
}

// each calls do with every entry of a range, in transactions of a bounded size.
func (r *repair) each(ctx context.Context, g kv.Range, do func(t *repairTx, p kv.Pair) error) error {
	for {
		var pairs []kv.Pair
		err := r.update(ctx, func(t *repairTx) error {
			pairs = pairs[:0]
			for p, err := range t.Scan(g) {
				if err != nil {
					return err
				}
				if len(pairs) == repairStep {
					break
				}
				pairs = append(pairs, kv.Pair{Key: bytes.Clone(p.Key), Value: bytes.Clone(p.Value)}) // do writes
			}
			for _, p := range pairs {
				if err := do(t, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(pairs) < repairStep {
			return err
		}
		g.From = append(bytes.Clone(pairs[len(pairs)-1].Key), 0)
	}
}

// repairPlayer sees that the name of a player leads to them.
func repairPlayer(t *repairTx, p kv.Pair) error {
	e, err := accounts.Players.Entry(p.Key, p.Value)
	player := e.Value
	if err != nil || !player.Deleted.IsZero() { // a deleted player has no name
		return err
	}
	owner, owned, err := accounts.Names.Find(t, player.NameKey)
	if err != nil || owner == player.ID {
		return err
	}
	if owned {
		other, known, err := accounts.Players.Find(t, owner)
		if err != nil {
			return err
		}
		if known && other.NameKey == player.NameKey {
			t.note("player", string(player.ID), "another player has the name "+player.Name)
			return nil
		}
	}
	t.rebuilt("names")
	return accounts.Names.Put(t, player.NameKey, player.ID)
}

// repairName sees that a name leads to the player who has it.
func repairName(t *repairTx, p kv.Pair) error {
	e, err := accounts.Names.Entry(p.Key, p.Value)
	if err != nil {
		return err
	}
	player, known, err := accounts.Players.Find(t, e.Value)
	switch {
	case err != nil:
		return err
	case !known:
		t.lostPlayer(e.Value, e.Key)
	case player.NameKey != e.Key:
		t.dropped("names", p.Key)
	}
	return nil
}

// repairKey sees that an SSH key is listed with its player.
func repairKey(t *repairTx, p kv.Pair) error {
	e, err := accounts.Keys.Entry(p.Key, p.Value)
	if err != nil {
		return err
	}
	return repairKeyOf(t, e.Value, e.Key)
}

// repairPlayerKey sees that an SSH key listed with a player leads to them.
func repairPlayerKey(t *repairTx, p kv.Pair) error {
	e, err := accounts.PlayerKeys.Entry(p.Key, p.Value)
	if err != nil {
		return err
	}
	owner, owned, err := accounts.Keys.Find(t, e.Key.Fingerprint)
	if err != nil {
		return err
	}
	if owned && owner != e.Key.Player {
		t.dropped("player_keys", p.Key)
		return nil
	}
	return repairKeyOf(t, e.Key.Player, e.Key.Fingerprint)
}

func repairKeyOf(t *repairTx, id storage.PlayerID, fingerprint string) error {
	if err := t.know(id); err != nil {
		return err
	}
	owned, err := accounts.Keys.Has(t, fingerprint)
	if err != nil {
		return err
	}
	if !owned {
		t.rebuilt("keys")
	}
	added, listed, err := accounts.PlayerKeys.Find(t, accounts.OwnedKey{Player: id, Fingerprint: fingerprint})
	if err != nil {
		return err
	}
	if !listed {
		t.rebuilt("player_keys")
	}
	return accounts.WriteKey(t, id, fingerprint, added)
}

// repairResult sees that the players of a result are there, and puts it into the index.
func repairResult(t *repairTx, p kv.Pair) error {
	e, err := results.Results.Entry(p.Key, p.Value)
	if err != nil {
		return err
	}
	r := e.Value
	if err := dropLog(t, r.Match); err != nil {
		return err
	}
	results.PutResultIndex(t, e.Key, r)
	return t.know(r.First, r.Second)
}

// dropLog drops the log of a match that has ended: it is from an old page.
func dropLog(t *repairTx, id storage.MatchID) error {
	var old [][]byte
	for p, err := range t.Scan(matches.LogRange(id)) {
		if err != nil {
			return err
		}
		old = append(old, bytes.Clone(p.Key))
	}
	for _, key := range old {
		t.dropped("logs", key)
	}
	matches.Summaries.Delete(t, id) // a migration makes one for each log
	return nil
}

// repairChat drops the lines that the players and spectators of an ended match saw: they are from an old page. The lines for reports
// stay.
func repairChat(t *repairTx, p kv.Pair) error {
	e, err := chat.Lines.Entry(p.Key, p.Value)
	if err != nil || !e.Value.Until.IsZero() {
		return err
	}
	if _, running, err := storage.First(t, matches.LogRange(e.Key.Match)); err != nil || running {
		return err
	}
	t.dropped("chat", p.Key)
	return nil
}

// repairRecord sees that a finished match is in every list, has its code and its result.
func repairRecord(t *repairTx, p kv.Pair) error {
	e, err := results.Records.Entry(p.Key, p.Value)
	if err != nil {
		return err
	}
	id, f, number := e.Key, e.Value.Finished, e.Value.Number
	if err := t.seen(f.Started, f.First, f.Second); err != nil {
		return err
	}
	for _, place := range results.PlacesOf(f) {
		there, err := results.History.Has(t, place)
		if err != nil {
			return err
		}
		if !there {
			results.History.Add(t, place)
			t.rebuilt("history")
		}
	}
	if ends := f.CodeEnds(); f.Forgotten(t.now) || t.now.Before(ends) { // Sweep forgets a match by its code
		if err := matches.EndCode(t, f.Code, id, ends); err != nil {
			return err
		}
	}
	if number == 0 {
		return nil
	}
	known, there, err := results.Results.Find(t, number)
	if err != nil {
		return err
	}
	if !there {
		r := results.Result{
			Match: id, Game: f.Game, First: storage.PlayerID(f.First.ID), Second: storage.PlayerID(f.Second.ID), Result: f.Result, Ended: f.Ended.UnixMilli(),
			Moves: results.FirstMoves(f.Moves), Rules: results.KnownRules, // what was known of the opponents is lost
		}
		for i, id := range r.Players() {
			if p, err := accounts.Players.Get(t, id); err == nil { // an account that is lost counts as an old one
				r.Since[i] = p.Since.UnixMilli()
			}
		}
		results.PutResultIndex(t, number, r)
		t.rebuilt("results")
		return results.Results.Put(t, number, r)
	}
	if known.Match == id {
		return nil
	}
	// The number is another match's: this record is from an old page.
	t.note("match", string(id), "it does not count for ratings any more")
	return results.Records.Put(t, id, results.Record{Finished: f})
}

// repairHistory drops the place of a match that isn't there.
func repairHistory(t *repairTx, p kv.Pair) error {
	place, _ := results.History.Parse(p.Key)
	id := place.At.ID
	there, err := results.Records.Has(t, id)
	if err != nil || there {
		return err
	}
	t.dropped("history", p.Key)
	if err := dropLog(t, id); err != nil {
		return err
	}
	if place.Player == "" && place.Game == "" {
		t.note("match", string(id), "its record is lost; it ended at "+place.At.Ended.Format(time.RFC3339))
	}
	return nil
}

// repairAnalysis drops the analysis of a match that isn't there, or of another one.
func repairAnalysis(t *repairTx, p kv.Pair) error {
	e, err := results.Analyses.Entry(p.Key, p.Value)
	if err != nil {
		return err
	}
	f, there, err := results.RecordHeads.Find(t, e.Key)
	if err == nil && (!there || f.Plies+1 != len(e.Value.Points)) {
		t.dropped("analyses", p.Key)
	}
	return err
}

// Logs sees that each log begins with its first event and has no gap, and gives each match its code.
func (r *repair) logs(ctx context.Context) error {
	for from := matches.Logs.All().Range; ; {
		more := false
		next := from
		err := r.update(ctx, func(t *repairTx) error {
			next = from
			for range repairStep / 10 { // a log has many events
				p, ok, err := storage.First(t, next)
				if err != nil || !ok {
					more = false
					return err
				}
				k, _ := matches.Logs.Parse(p.Key)
				if err := repairLog(t, k.Match); err != nil {
					return err
				}
				next.From = matches.LogRange(k.Match).To
			}
			more = true
			return nil
		})
		if err != nil || !more {
			return err
		}
		from = next
	}
}

// repairLog cuts a log where its first gap is. What is before is the match as it was then.
func repairLog(t *repairTx, id storage.MatchID) error {
	over, err := results.Records.Has(t, id)
	if err != nil {
		return err
	}
	if over {
		return dropLog(t, id)
	}
	var good uint64
	var drop [][]byte
	dropped := 0 // events
	var opening *matches.Opening
	for p, err := range t.Scan(matches.LogRange(id)) {
		if err != nil {
			return err
		}
		e, err := matches.Logs.Entry(p.Key, p.Value)
		events := e.Value
		if err != nil || e.Key.Seq != good+1 {
			drop = append(drop, bytes.Clone(p.Key))
			dropped += max(1, len(events))
			continue
		}
		for _, e := range events {
			good = e.Seq
			people := []storage.Occupant{e.Who}
			if e.Opening != nil {
				opening = e.Opening
				people = append(people, opening.First, opening.Second)
			}
			if err := t.seen(e.At, people...); err != nil {
				return err
			}
		}
	}
	for _, key := range drop {
		t.dropped("logs", key)
	}
	switch {
	case opening == nil:
		t.note("match", string(id), "its beginning is lost, and so is the match")
		matches.Summaries.Delete(t, id)
		return nil
	case len(drop) > 0:
		t.note("match", string(id), fmt.Sprintf("event %d of its log is lost, and the %d after it were dropped: the match goes on before them", good+1, dropped))
	}
	named, there, err := matches.Codes.Find(t, opening.Code)
	if err != nil && !errors.Is(err, storage.ErrDamaged) {
		return err
	}
	if there && named.Match != id {
		if named.Ends.IsZero() {
			t.note("match", string(id), "another match has its code")
			return nil
		}
		matches.CodeEnds.Delete(t, matches.CodeEnd{At: named.Ends, Code: opening.Code})
	}
	matches.Summaries.Add(t, id) // to be made
	return matches.Codes.Put(t, opening.Code, matches.CodeOf{Match: id})
}

// rebuildPlayers gives players whose account is lost a new one with the same id, under the name that other entries tell. It
// leads to their keys, ratings and matches.
func (r *repair) rebuildPlayers(ctx context.Context) error {
	ids := make([]storage.PlayerID, 0, len(r.lost))
	for id := range r.lost {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := r.update(ctx, func(t *repairTx) error { return rebuildPlayer(t, id, *r.lost[id]) }); err != nil {
			return err
		}
	}
	return nil
}

func rebuildPlayer(t *repairTx, id storage.PlayerID, known lostPlayer) error {
	p := accounts.Player{ID: id, Name: known.name, NameKey: known.nameKey, Since: known.since}
	if p.Name == "" {
		p.Name = p.NameKey
	}
	if p.NameKey == "" {
		p.NameKey = strings.ToLower(p.Name)
	}
	if p.Since.IsZero() {
		p.Since = storage.Stored(t.now)
	}
	if known.engine { // when it became one is not known
		p.Became = p.Since
	}
	owner, owned, err := accounts.Names.Find(t, p.NameKey)
	if err != nil {
		return err
	}
	if p.Name == "" || owned && owner != id {
		p.Name = "lost-" + string(id[:8])
		p.NameKey = p.Name
	}
	t.rebuilt("players")
	t.note("player", string(id), "the account was made anew as "+p.Name+"; settings and the day of joining are lost")
	return errors.Join(accounts.Names.Put(t, p.NameKey, id), accounts.Players.Put(t, id, p))
}

// finish completes the report.
func (r *repair) finish(file kv.SalvageReport) *SalvageReport {
	v := &r.report
	v.MetaLost, v.FreeLost, v.MoreLost = file.MetaLost, file.FreeLost, file.More
	incomplete := map[string]bool{}
	for _, l := range file.Losses {
		incomplete[l.Section] = incomplete[l.Section] || !l.Whole
	}
	for name, k := range r.kinds {
		incomplete[name] = incomplete[name] || k.Damaged > 0
	}
	// isLost reports whether what is missing of a table can't be made of others.
	isLost := func(name string) bool {
		var t storage.Traits
		if k := schema.TableNamed(name); k != nil {
			t = k.TableTraits()
		}
		return incomplete[name] && !t.Brief && (t.From == nil || slices.ContainsFunc(t.From, func(of string) bool { return incomplete[of] }))
	}
	for _, l := range file.Losses {
		shown := storage.Printable
		if k := schema.TableNamed(l.Section); k != nil {
			shown = k.Shown
		}
		v.Ranges = append(v.Ranges, SalvageLoss{
			Kind: l.Section, After: shown(l.After), Before: shown(l.Before),
			Pages: l.Pages, Problem: l.Problem, Rows: l.Rows, Found: l.Found, Earlier: l.Earlier,
			Whole: l.Whole || !isLost(l.Section),
		})
	}
	v.Lost = v.MetaLost || v.MoreLost > 0 || len(v.Notes) > 0
	for s := range incomplete {
		v.Lost = v.Lost || isLost(s)
	}
	for _, name := range schema.TableNames() {
		r.kind(name)
	}
	for _, k := range r.kinds {
		if of := schema.TableNamed(k.Kind); of == nil || !of.TableTraits().Anew && !of.TableTraits().Brief {
			v.Kinds = append(v.Kinds, *k)
		}
	}
	slices.SortFunc(v.Kinds, func(a, b SalvagedKind) int { return strings.Compare(a.Kind, b.Kind) })
	return v
}
