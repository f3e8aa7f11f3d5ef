package lobby

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"

	"ludoteca/games"
)

// pastimes has workers at leisure do something that lasts until it is stopped.
type pastimes struct {
	*pool
	begun, ended chan bool
}

func newPastimes(t *testing.T, workers int) *pastimes {
	p := &pastimes{newPool(workers), make(chan bool), make(chan bool)}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range workers {
		all.Go(func() { p.work(ctx) })
	}
	t.Cleanup(func() { stop(); all.Wait() })
	return p
}

// pass begins a pastime.
func (p *pastimes) pass(t *testing.T) (stop func()) {
	ctx, stop := context.WithCancel(t.Context())
	p.atLeisure(pastime{stop: stop, work: func() {
		p.begun <- true
		<-ctx.Done()
		p.ended <- true
	}})
	return stop
}

// long is a job that thinks until its move is there.
func long(ctx context.Context, begun chan<- bool, moves <-chan games.Move) *job {
	return newJob(ctx, slow(moves, begun), nil, 1, 0)
}

// The only worker gives way at once; of several, as many think as can before one at leisure has to.
func TestLeisureGivesWay(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		p, begun, moves := newPastimes(t, workers), make(chan bool), make(chan games.Move)
		ctx, drop := context.WithCancel(t.Context())
		defer drop()
		p.pass(t)
		<-p.begun
		for range workers - 1 {
			p.submit(long(ctx, begun, moves), forPeople)
			<-begun
			select {
			case <-p.ended:
				t.Errorf("%d workers: it gave way although another worker was free", workers)
			default:
			}
		}
		p.submit(long(ctx, begun, moves), forExhibitions)
		<-p.ended
		<-begun // the last worker thinks too

		// Nothing is begun at leisure while anybody thinks, and the last who has thought begins it.
		stop := p.pass(t)
		for range workers {
			select {
			case <-p.begun:
				t.Errorf("%d workers: one is at leisure while another thinks", workers)
			default:
			}
			moves <- "d4"
		}
		<-p.begun
		stop()
		<-p.ended
	}
}

// Moves that were made before the players took over are analysed with theirs.
func TestStudyOfGivenMoves(t *testing.T) {
	c := newClub(t, quick)
	a, b := c.start(func(s *Spec) { s.Moves = win[:3] })
	c.play(a, b, win[3:]...)
	if got := c.ready(a.ID()).Analysis; !reflect.DeepEqual(got, reference(t)) {
		t.Errorf("%+v", got)
	}
}

// An analysis whose searches are given up again and again loses nothing by it.
func TestStudyGivesWay(t *testing.T) {
	moves, thinks := make(chan games.Move), make(chan bool)
	c := newClub(t, func(c *Config) {
		c.Workers, c.StudyNodes = 1, 50
		c.Levels = append(c.Levels, slow(moves, thinks))
	})
	id := c.won()
	ready := make(chan *Study)
	go func() {
		s := &Study{}
		for s.Stage != Ready {
			now, err := c.Study(t.Context(), id, s.Seq)
			if err != nil {
				t.Error(err)
				break
			}
			s = now
		}
		ready <- s
	}()
	seat := c.seat(c.ana, c.open(c.ana, Spec{Game: "fourmation", Bot: "slow", Side: PlayFirst}).ID)
	for i, m := range []games.Move{"a1", "b1", "c1"} {
		c.play(seat, seat, m)
		<-thinks
		moves <- []games.Move{"a2", "b2", "c2"}[i]
		c.until(seat, plies(2*i+2))
	}
	if s := <-ready; s.Analysis == nil || len(s.Analysis.Points) != len(win)+1 {
		t.Errorf("%+v", s)
	}
	if n := c.house.stats.AnalysisFailures.Load(); n != 0 {
		t.Errorf("%d analyses failed", n)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.Study(ctx, id, lastSeq); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
