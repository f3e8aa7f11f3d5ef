package limits

import (
	"reflect"
	"testing"
)

// TestDefaults: each limit has a default, which stands for zero and for nothing else.
func TestDefaults(t *testing.T) {
	if got := (Limits{}).OrDefault(); got != Default() {
		t.Errorf("zero limits become %+v, want %+v", got, Default())
	}
	var set Limits
	for i, v := 0, reflect.ValueOf(&set).Elem(); i < v.NumField(); i++ {
		if reflect.ValueOf(Default()).Field(i).IsZero() {
			t.Errorf("%s has no default", v.Type().Field(i).Name)
		}
		v.Field(i).SetInt(int64(-1 - i))
	}
	if got := set.OrDefault(); got != set {
		t.Errorf("limits that are set become %+v, want %+v", got, set)
	}
}

// TestInForce: Set returns the limits before and changes nothing of what a reader holds.
func TestInForce(t *testing.T) {
	f := NewInForce(Limits{Matches: 1})
	held := f.Now()
	if before := f.Set(Limits{Matches: 2}); before.Matches != 1 {
		t.Errorf("before: %d matches, want 1", before.Matches)
	}
	if held.Matches != 1 || f.Now().Matches != 2 {
		t.Errorf("held: %d, now %d, want 1 and 2", held.Matches, f.Now().Matches)
	}
}
