package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxScrapes bounds the answers that are made at a time.
const maxScrapes = 4

// A scrapeLog logs errors of scrapes. A scraper that went away is no error: a balancer does that when a node takes long to start.
type scrapeLog struct{ log *slog.Logger }

// Println implements promhttp.Logger.
func (l scrapeLog) Println(v ...any) {
	for _, one := range v {
		if err, ok := one.(error); ok && errors.Is(err, context.Canceled) {
			return
		}
	}
	l.log.Error("a scrape failed", "err", strings.TrimSpace(fmt.Sprintln(v...)))
}

// answer writes the answer to a check.
func answer(w http.ResponseWriter, why error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if why != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintln(w, why)
		return
	}
	_, _ = fmt.Fprintln(w, "ok")
}

// Serve serves HTTP on l until ctx ends, and closes l. It answers GET /metrics, GET /live with 200 as long as the process serves, and GET
// /ready with 200, or with 503 and the reason while ready returns an error: a balancer should send new clients elsewhere then.
func Serve(ctx context.Context, l net.Listener, from prometheus.Gatherer, ready func() error, log *slog.Logger) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) { answer(w, nil) })
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) { answer(w, ready()) })
	mux.Handle("GET /metrics", promhttp.HandlerFor(from, promhttp.HandlerOpts{
		ErrorLog: scrapeLog{log}, MaxRequestsInFlight: maxScrapes, Timeout: 5 * time.Second,
	}))
	srv := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      15 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug), // what strangers do wrong
	}
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { defer close(closed); _ = srv.Close() })
	defer func() {
		if !stop() {
			<-closed
		}
	}()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}
