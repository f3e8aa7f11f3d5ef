//go:build linux

package stocktest

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

const (
	onlookers    = 150                    // in the lobby
	betweenNews  = 200 * time.Millisecond // in it
	besideTyping = 10 * time.Second
)

// measureCrowd has many look at a lobby in which matches begin all the time, while others move the cursor on their boards.
func measureCrowd(t *testing.T, s *server) []figure {
	here := crowd(t, s, onlookers, false, usual)
	for _, v := range here {
		v.unseen()
	}
	others := crowd(t, s, typists, true, usual)
	ana, rui := newKey(t), newKey(t)
	var news sync.WaitGroup
	began, before := time.Now(), s.cpu()
	news.Go(func() {
		tick := time.NewTicker(betweenNews)
		defer tick.Stop()
		for range besideTyping / betweenNews {
			<-tick.C
			if _, err := s.code(fmt.Sprint("match ", fingerprint(ana), " ", fingerprint(rui), " momentum")); err != nil {
				t.Error(err)
				return
			}
		}
	})
	late := typing(t, others, int(besideTyping/betweenKeys))
	used := (s.cpu() - before).Seconds() / time.Since(began).Seconds()
	news.Wait()
	leave(here)
	leave(others)
	return []figure{
		{"key beside a crowd, p50, ms", percentile(late, 50)},
		{"key beside a crowd, p90, ms", percentile(late, 90)},
		{"key beside a crowd, p99, ms", percentile(late, 99)},
		{"CPU beside a crowd, of a processor", used},
	}
}
