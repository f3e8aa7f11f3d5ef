package storage

import (
	"ludoteca/storage/kv"
)

// A Cell is one value of the table meta, under a name of its own.
type Cell[V any] struct {
	Name   string
	Values Codec[string, V]
}

// Key returns the key of the cell in the store.
func (c Cell[V]) Key() []byte { return []byte(Meta + "\x00" + c.Name) }

// Find returns the value; ok is false if there is none.
func (c Cell[V]) Find(r kv.Reader) (v V, ok bool, err error) {
	value, err := r.Get(c.Key())
	if err != nil || value == nil {
		return v, false, err
	}
	v, err = c.Values.Decode(c.Name, value)
	return v, err == nil, err
}

// Put sets the value. The error wraps ErrInvalid if it can't be written.
func (c Cell[V]) Put(tx kv.Tx, v V) error {
	value, err := c.Values.Encode(v)
	if err == nil {
		tx.Put(c.Key(), value)
	}
	return err
}

// Delete removes the value, if there is one.
func (c Cell[V]) Delete(tx kv.Tx) { tx.Delete(c.Key()) }

// An AnyCell is a cell without the type of its value.
type AnyCell interface {
	CellName() string
	Valid(value []byte) error
}

// CellName implements AnyCell.
func (c Cell[V]) CellName() string { return c.Name }

// Valid implements AnyCell: it reports what is wrong with a value; nil is nothing.
func (c Cell[V]) Valid(value []byte) error {
	_, err := c.Values.Decode(c.Name, value)
	return err
}

// Meta is the name of the table meta.
const Meta = "meta"
