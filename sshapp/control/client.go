package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ludoteca/sshapp/status"
	"ludoteca/storage"
	"ludoteca/storage/atomicfile"
)

// A Client speaks to the running club.
type Client struct {
	http *http.Client
}

// Dial finds the club that runs on a data folder. The error is ErrNoClub if there is none.
func Dial(ctx context.Context, dataDir string) (*Client, error) {
	path := filepath.Join(dataDir, SocketName)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	conn, err := dial(ctx, "", "")
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, ErrNoClub
	case err != nil:
		return nil, fmt.Errorf("cannot reach the running club: %w", err)
	}
	conn.Close()
	return &Client{&http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}, nil
}

// Recompute asks the club to work out all ratings anew.
func (c *Client) Recompute(ctx context.Context) (storage.RecomputeReport, error) {
	var report storage.RecomputeReport
	err := c.ask(ctx, http.MethodPost, "/recompute", &report)
	return report, err
}

// Status asks the club how it is doing.
func (c *Client) Status(ctx context.Context) (status.Status, error) {
	var s status.Status
	err := c.ask(ctx, http.MethodGet, "/status", &s)
	return s, err
}

// ask reads the club's answer.
func (c *Client) ask(ctx context.Context, method, path string, answer any) error {
	resp, err := c.do(ctx, method, path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		return fmt.Errorf("the club's answer cannot be read: %w", err)
	}
	return nil
}

// Backup writes a consistent copy of the club's store to the new file path, mode 0600, which gets its name when it is whole
// and on disk. A file that is there already is not touched, and the error is fs.ErrExist.
func (c *Client) Backup(ctx context.Context, path string) (bytes int64, err error) {
	err = atomicfile.Create(atomicfile.System{}, path, func(f *os.File) error {
		resp, err := c.do(ctx, http.MethodPost, "/backup")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if bytes, err = io.Copy(f, resp.Body); err != nil { // the club has said how long it is
			return fmt.Errorf("the copy broke off: %w", err)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("backup to %s: %w", path, err)
	}
	return bytes, nil
}

func (c *Client) do(ctx context.Context, method, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://club"+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the running club does not answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		words, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return nil, fmt.Errorf("the running club refused: %s", strings.TrimSpace(string(words)))
	}
	return resp, nil
}
