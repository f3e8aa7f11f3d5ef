package matches

import (
	"context"
	"time"

	"ludoteca/lobby/registry"
	"ludoteca/lobby/tasks"
)

// Deadlines loads matches that have something to do, and keeps memory within its limit.
type Deadlines struct {
	registry *registry.Registry
	loader   *loader
	tasks    *tasks.Group
}

// Run loads a few matches at a time until ctx ends.
func (d *Deadlines) Run(ctx context.Context) {
	const atOnce = 4
	free := make(chan struct{}, atOnce)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if rest := d.registry.Over(); len(rest) > 0 {
			d.loader.unload(ctx, rest)
		}
		id, next := d.registry.TakeDue(time.Now())
		if id != "" {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			err := d.tasks.Go(func(ctx, _ context.Context) {
				d.loader.match(ctx, id) // an error was logged where it matters, and the match is due again
				<-free
			})
			if err != nil {
				return
			}
			continue
		}
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
		select {
		case <-ctx.Done():
			return
		case <-d.registry.Due:
		case <-timer.C:
		}
	}
}
