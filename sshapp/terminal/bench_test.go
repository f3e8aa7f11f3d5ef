package terminal

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/terminal/canvas"
)

// page is a styled screen of 80x24 like the club's: a framed board of 7x7 with pieces in two colours, panels, a foot line. The
// cursor cell is lit.
func page(cursor int) string {
	var b strings.Builder
	b.WriteString("\x1b[1m Momentum 7x7\x1b[m · match K7QM2X · casual\x1b[38;2;230;159;0m                    ana · your move\x1b[m\n\n")
	b.WriteString("    ┌───┬───┬───┬───┬───┬───┬───┐\n")
	for row := range 7 {
		fmt.Fprintf(&b, "\x1b[2m  %d \x1b[m│", 7-row)
		for column := range 7 {
			text := []string{" · ", "\x1b[38;2;0;114;178m ● \x1b[m", "\x1b[38;2;230;159;0m ○ \x1b[m"}[(row*5+column*3)%3]
			if row*7+column == cursor%49 {
				text = "\x1b[7m" + text + "\x1b[27m"
			}
			b.WriteString(text + "│")
		}
		fmt.Fprintf(&b, "   %d \x1b[2m e5 d%d swap in hand\x1b[m ●●●●\n", 7-row, row)
		if row < 6 {
			b.WriteString("    ├───┼───┼───┼───┼───┼───┼───┤\n")
		}
	}
	b.WriteString("    └───┴───┴───┴───┴───┴───┴───┘\n")
	fmt.Fprintf(&b, "  move %d of 60   you typed \x1b[1m%c\x1b[m\n\n", cursor, 'a'+cursor%26)
	b.WriteString("\x1b[2m arrows enter or type a move · / commands · tab chat · ctrl+f flip · ? help · esc lobby\x1b[m")
	return b.String()
}

// player is a model that shows a page and moves its cursor with every key.
func player() *probe {
	cursor := 0
	pages := make([]string, 98) // styles are rendered once, as in the club: the benchmarks measure the way to the client
	for i := range pages {
		pages[i] = page(i)
	}
	return &probe{
		update: func(msg tea.Msg) tea.Cmd {
			if _, ok := msg.(tea.KeyPressMsg); ok {
				cursor++
			}
			return nil
		},
		view: func() tea.View { return fullScreen(pages[cursor%len(pages)]) },
	}
}

func BenchmarkFrame(b *testing.B) {
	benchmarks := []struct {
		name   string
		size   Window
		forget bool
		views  []string
	}{
		{"diff/80x24", Window{80, 24}, false, []string{page(3), page(4)}},
		{"same/80x24", Window{80, 24}, false, []string{page(3)}},
		{"full/80x24", Window{80, 24}, true, []string{page(3)}},
		{"full/240x70", Window{240, 70}, true, []string{strings.Repeat(page(3)+"\n", 3)}},
	}
	for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
		for _, bb := range benchmarks {
			b.Run(fmt.Sprintf("%s/%s", bb.name, profile), func(b *testing.B) {
				s := newScreen(newPalette(profile, false), false)
				s.resize(bb.size)
				var buf []byte
				total := 0
				c := canvas.New(0, 0)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if bb.forget {
						s.forget()
					}
					v := fullScreen(bb.views[i%len(bb.views)])
					s.prepare(c)
					drawContent(c, v.Content)
					buf = s.frame(buf[:0], c, &v, false)
					total += len(buf)
				}
				b.ReportMetric(float64(total)/float64(b.N), "bytes/frame")
			})
		}
	}
}

// runStock runs what the driver replaces: a Bubble Tea program with its own reader and renderer on a session.
func runStock(ctx context.Context, s io.ReadWriteCloser, m tea.Model) error {
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(s), tea.WithOutput(s), tea.WithoutSignalHandler(), tea.WithWindowSize(80, 24),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color", "SSH_TTY=x"})).Run()
	s.Close()
	return err
}

func runDriver(ctx context.Context, s io.ReadWriteCloser, m tea.Model) error {
	profile := colorprofile.TrueColor
	return Run(ctx, s, m, Options{Term: "xterm-256color", Window: Window{80, 24}, Profile: &profile})
}

// ways are the two ways to run a model. The stock one needs its context to end: it doesn't notice that a client is gone.
var ways = []struct {
	name string
	run  func(context.Context, io.ReadWriteCloser, tea.Model) error
}{{"driver", runDriver}, {"stock", runStock}}

// BenchmarkKey sends a key after a pause, as people do, and measures the time to the first byte of the answer. CPU time and
// bytes cover everything up to the end of the answer.
func BenchmarkKey(b *testing.B) {
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			server, client := net.Pipe()
			ended := make(chan error, 1)
			go func() { ended <- way.run(ctx, server, player()) }()
			var total atomic.Int64
			answers := make(chan time.Time, 1000)
			go func() {
				buf := make([]byte, 1<<16)
				for {
					n, err := client.Read(buf)
					if err != nil {
						close(answers)
						return
					}
					total.Add(int64(n))
					answers <- time.Now()
				}
			}()
			pause := time.NewTimer(200 * time.Millisecond)
			<-pause.C
			for len(answers) > 0 {
				<-answers
			}
			total.Store(0)
			var latency time.Duration
			cpu := cpuTime()
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				sent := time.Now()
				io.WriteString(client, "x")
				latency += (<-answers).Sub(sent)
				pause.Reset(40 * time.Millisecond)
				<-pause.C
				for len(answers) > 0 {
					<-answers
				}
			}
			b.StopTimer()
			b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/key")
			b.ReportMetric(float64(latency.Microseconds())/float64(b.N), "µs-to-first-byte")
			b.ReportMetric(float64(total.Load())/float64(b.N), "bytes/key")
			cancel()
			client.Close()
			<-ended
		})
	}
}

// BenchmarkSession measures what an idle session of 80x24 that has drawn and taken keys keeps in memory: heap and stacks.
func BenchmarkSession(b *testing.B) {
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			const sessions = 200
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			for range b.N {
				before := memory()
				routines := runtime.NumGoroutine()
				var clients []net.Conn
				ended := make(chan error, sessions)
				shared := player()
				for range sessions {
					server, client := net.Pipe()
					clients = append(clients, client)
					m := &probe{view: shared.view}
					go func() { ended <- way.run(ctx, server, m) }()
					go io.Copy(io.Discard, client)
				}
				settled := time.NewTimer(2 * time.Second)
				<-settled.C
				for _, client := range clients {
					io.WriteString(client, "xyz")
				}
				settled.Reset(2 * time.Second)
				<-settled.C
				cpu := cpuTime()
				settled.Reset(2 * time.Second)
				<-settled.C
				idle := cpuTime() - cpu
				b.ReportMetric(float64(idle.Microseconds())/2/sessions, "idle-µs/s")
				b.ReportMetric(float64(memory()-before)/sessions/1024, "KiB/session")
				b.ReportMetric(float64(runtime.NumGoroutine()-routines)/sessions-1, "goroutines/session")
				cancel()
				for _, client := range clients {
					client.Close()
				}
				for range sessions {
					<-ended
				}
			}
		})
	}
}

func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapInuse + stats.StackInuse
}

// BenchmarkContent draws the content of a view on the canvas: pages of the usual size, and one of the largest canvas in which each
// cell has a colour of its own.
func BenchmarkContent(b *testing.B) {
	var colours strings.Builder
	for i := range MaxWidth * MaxHeight {
		fmt.Fprintf(&colours, "\x1b[38;2;%d;%d;3mx", i%251, i/251)
		if i%MaxWidth == MaxWidth-1 {
			colours.WriteByte('\n')
		}
	}
	for _, bb := range []struct {
		name    string
		size    Window
		content string
	}{{"80x24", Window{80, 24}, page(3)}, {"240x70", Window{240, 70}, colours.String()}} {
		b.Run(bb.name, func(b *testing.B) {
			c := canvas.New(bb.size.Width, bb.size.Height)
			b.ReportAllocs()
			for b.Loop() {
				drawContent(c, bb.content)
			}
		})
	}
}
