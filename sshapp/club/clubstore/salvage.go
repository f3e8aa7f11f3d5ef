package clubstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ludoteca/atomicfile"
	"ludoteca/lobby/rating"
	"ludoteca/storage/kv/bolt"
	"ludoteca/storage/repair"
	"ludoteca/storage/schema"
)

// Salvage saves what can be read of the store in the file from. The file to gets its name when it is whole and on disk.
func Salvage(ctx context.Context, from, to string) (report *repair.SalvageReport, err error) {
	if _, err := os.Lstat(to); err == nil {
		return nil, fmt.Errorf("%s is there already; salvage never overwrites", to)
	}
	damaged, err := bolt.OpenDamaged(from, bolt.Options{})
	if err != nil {
		return nil, err
	}
	defer closing(&err, damaged)
	if err := RemoveSalvaged(filepath.Dir(to)); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(filepath.Dir(to), salvageFolder+"*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, FileName)
	engine, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return nil, err
	}
	report, err = repair.Salvage(ctx, damaged, engine, schema.Config{Rate: rating.Rate}, time.Now())
	if err = errors.Join(err, engine.Close()); err != nil {
		return nil, err
	}
	if err := giveOwner(path, damaged); err != nil {
		return nil, err
	}
	if err := atomicfile.Name(atomicfile.System{}, path, to); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s is there already; salvage never overwrites", to)
		}
		return nil, fmt.Errorf("%s: %w", to, err)
	}
	return report, nil
}

// salvageFolder begins the name of the folder in which a salvaged store is made.
const salvageFolder = ".salvage-"

// RemoveSalvaged removes from a folder what a salvage that was killed has left. One that runs has its file locked.
func RemoveSalvaged(folder string) error {
	return atomicfile.RemoveFolders(folder, salvageFolder, FileName, func(file string) bool {
		d, err := bolt.OpenDamaged(file, bolt.Options{LockTimeout: time.Millisecond})
		if err == nil {
			err = d.Close()
		}
		return errors.Is(err, bolt.ErrLocked)
	})
}

// giveOwner gives a new file the owner of the damaged one: root may save a store that the club's user must be able to open.
func giveOwner(path string, of *bolt.Damaged) error {
	info, err := of.Info()
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.GiveOwner(f, info), f.Close())
}
