package clubstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"ludoteca/sshapp/control"
	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/schema"
)

// UpgradeInWords says what a start with a data folder would change in the store at a place.
func UpgradeInWords(ctx context.Context, data string, at *Place, noCopy bool, log *slog.Logger) (string, error) {
	path := filepath.Join(data, FileName)
	var engine kv.Store
	var err error
	switch {
	case at.Shared():
		path = at.Store
		engine, err = at.open(ctx, log, kv.Meters{})
	default:
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("store: there is none at %s; the first start makes it", path), nil
		}
		if client, err := control.Dial(ctx, data); err == nil {
			return upgradeOfRunning(ctx, client, path, data, noCopy)
		}
		engine, err = bolt.Open(path, bolt.Options{Log: log})
	}
	if err != nil {
		return "", err
	}
	u, err := schema.UpgradeOf(ctx, engine, modelConfig(log))
	if err = errors.Join(err, engine.Close()); err != nil {
		return "", fmt.Errorf("storage: look at %s: %w", path, err)
	}
	return describeUpgrade(path, u, data, noCopy), nil
}

// upgradeOfRunning says the same of the store of a club that runs, which knows the schema as long as it holds the file.
func upgradeOfRunning(ctx context.Context, client *control.Client, path, data string, noCopy bool) (string, error) {
	now, err := client.Status(ctx)
	switch {
	case err != nil:
		return "", err
	case now.StoreSchema == 0: // an older version, which doesn't tell
		return fmt.Sprintf("store: a club is running on %s, of a version that doesn't tell its schema; this version has schema %d", path, schema.Schema()), nil
	case now.StoreSchema > schema.Schema():
		return "", fmt.Errorf("the club that is running on %s: %w: it has schema %d and this version knows %d", path, storage.ErrNewer, now.StoreSchema, schema.Schema())
	}
	return describeUpgrade(path, schema.Upgrade{From: now.StoreSchema, To: schema.Schema()}, data, noCopy), nil
}

func describeUpgrade(path string, u schema.Upgrade, data string, noCopy bool) string {
	switch {
	case u.From == 0:
		return fmt.Sprintf("store: %s is empty; the first start makes schema %d", path, u.To)
	case u.Begun:
		return fmt.Sprintf("store: the migration of %s to schema %d was interrupted; a start goes on with it", path, u.To)
	case u.Due() && noCopy:
		return fmt.Sprintf("store: %s has schema %d; a start migrates it to %d, after which older versions refuse it", path, u.From, u.To)
	case u.Due():
		return fmt.Sprintf("store: %s has schema %d; a start copies it to a file in %s if there is room, and migrates it to %d, after which older versions refuse it", path, u.From, data, u.To)
	case len(u.Indexes) > 0:
		return fmt.Sprintf("store: %s has schema %d, as this version; a start makes anew: %s", path, u.From, strings.Join(u.Indexes, ", "))
	}
	return fmt.Sprintf("store: %s has schema %d, as this version; a start changes nothing", path, u.From)
}
