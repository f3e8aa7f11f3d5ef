package storagetest

import (
	"fmt"
	"testing"

	"ludoteca/storage"
	"ludoteca/storage/results"
)

// practice: a match that says how it counts is counted once, with the end of the match; the last results are kept. Several accounts of a
// player are read together, and the results go with the account.
func practice(t *testing.T, s Store) {
	ctx := t.Context()
	ann, bob, cid := signUp(t, s, "ann"), signUp(t, s, "bob"), signUp(t, s, "cid")
	robot := storage.Occupant{Kind: storage.Bot, ID: "club", Name: "Club"}
	prior := results.PracticePrior{Rating: 1000, Deviation: 500}
	at := 0
	finish := func(id storage.PlayerID, game, result string, m *results.PracticeMatch) results.PracticeResult {
		t.Helper()
		at += 3
		match := storage.MatchID(fmt.Sprintf("m%d", at))
		f := record(fmt.Sprintf("AAA%03d", at), game, storage.Occupant{Kind: storage.Person, ID: string(id)}, robot, result, at)
		f.Rated, f.Practice = false, m
		play(t, s, match, f)
		if m == nil {
			return results.PracticeResult{}
		}
		if kept, err := s.Finished(ctx, match); err != nil || kept.Practice != nil {
			t.Errorf("the record says %+v, %v", kept.Practice, err)
		}
		return results.PracticeResult{Match: match, Level: m.Level, Rating: m.Rating, Score: m.Score, Ended: minute(at).UnixMilli()}
	}
	counts := func(id storage.PlayerID, score float64) *results.PracticeMatch {
		return &results.PracticeMatch{Player: id, Prior: prior, Level: "club", Rating: 1500, Score: score}
	}
	is := func(what string, want map[string]results.Practice, ids ...storage.PlayerID) {
		t.Helper()
		all, err := s.Practice(ctx, ids...)
		wants(t, what, err, nil)
		same(t, what, all, want)
	}
	finish(ann.ID, "tanks", "first", nil)
	is("nothing counts", map[string]results.Practice{}, ann.ID)
	first := finish(ann.ID, "tanks", "first", counts(ann.ID, 1))
	other := counts(ann.ID, 0.5)
	other.Prior.Rating = 700 // not the first one
	second := finish(ann.ID, "tanks", "draw", other)
	other.Rating = 0
	third := finish(ann.ID, "petteia", "draw", other)
	of := map[string]results.Practice{
		"tanks":   {Prior: prior, Played: 2, Last: []results.PracticeResult{first, second}},
		"petteia": {Prior: other.Prior, Played: 1, Last: []results.PracticeResult{third}},
	}
	is("two games", of, ann.ID)
	finish(ann.ID, "tanks", "", counts(ann.ID, 1))
	finish(ann.ID, "tanks", "first", counts("2222222222222222", 1))
	is("a void match and one of a stranger", of, ann.ID)
	is("the stranger", map[string]results.Practice{}, "2222222222222222")
	ratings, err := s.Ratings(ctx, ann.ID, everyGame)
	wants(t, "ratings", err, nil)
	same(t, "it moves no rating", ratings.Now, map[string]results.Rating{})

	fourth := finish(bob.ID, "tanks", "second", counts(bob.ID, 0))
	fifth := finish(ann.ID, "tanks", "first", counts(ann.ID, 1))
	both := results.Practice{Prior: prior, Played: 4, Last: []results.PracticeResult{first, second, fourth, fifth}}
	is("of two accounts", map[string]results.Practice{"tanks": both, "petteia": of["petteia"]}, bob.ID, ann.ID)

	var last []results.PracticeResult
	for range results.KeptPractice + 3 {
		last = append(last, finish(cid.ID, "tanks", "first", counts(cid.ID, 1)))
	}
	is("the last ones", map[string]results.Practice{"tanks": {Prior: prior, Played: results.KeptPractice + 3, Last: last[3:]}}, cid.ID)

	_, err = s.DeletePlayer(ctx, ann.ID, minute(at))
	wants(t, "delete", err, nil)
	is("after that", map[string]results.Practice{}, ann.ID)
	finish(ann.ID, "tanks", "first", counts(ann.ID, 1))
	is("a match that ends later", map[string]results.Practice{}, ann.ID)
	is("another player's", map[string]results.Practice{"tanks": {Prior: prior, Played: 1, Last: []results.PracticeResult{fourth}}}, bob.ID)
}
