package kv_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/storage/kv"
)

// TestWaited: calls that wait beside each other count once, also while they wait, and calls of another context don't count.
func TestWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := kv.WithWaits(t.Context())
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		check := func(want time.Duration) {
			t.Helper()
			if got := kv.Waited(ctx); got != want {
				t.Errorf("%v have been waited, want %v", got, want)
			}
		}
		check(0)
		one := kv.Wait(ctx)
		other, stranger := kv.Wait(inner), kv.Wait(t.Context())
		time.Sleep(time.Second)
		check(time.Second)
		one()
		time.Sleep(time.Second)
		other()
		check(2 * time.Second)
		time.Sleep(time.Second)
		stranger()
		check(2 * time.Second)
		again := kv.Wait(ctx)
		time.Sleep(time.Second)
		again()
		check(3 * time.Second)
		if got := kv.Waited(t.Context()); got != 0 {
			t.Errorf("a context without waits has waited %v", got)
		}
	})
}
