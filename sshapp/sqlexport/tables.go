package sqlexport

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Version is the number of the form of the tables. A program of another version that finds tables of an older one makes them anew, and refuses tables of
// a newer one.
const Version = 1

// DefaultSchema is the name of the schema of the tables.
const DefaultSchema = "ludoteca"

// The names of the tables.
const (
	matchesTable = "ludoteca_matches"
	resultsTable = "ludoteca_results"
	movesTable   = "ludoteca_moves"
	stateTable   = "ludoteca_export"
	versionTable = "ludoteca_version"
)

// A table is one table of the schema, in the order in which it is made.
type table struct {
	name    string
	comment string
	columns []column
	rules   []string // further constraints; %s is the schema
	indexes []string // what follows "ON table"
}

type column struct {
	name    string
	kind    string // its type and its own constraints
	comment string
}

// matchID is the type of the ids of matches. They sort byte by byte, as in the store.
const matchID = `text COLLATE "C"`

// tables are all tables, the ones that are filled from matches first.
var tables = []table{
	{
		name:    matchesTable,
		comment: "Finished matches that everybody in the club may see: one row each.",
		columns: []column{
			{"match_id", matchID + " PRIMARY KEY", "the id of the match, which never changes"},
			{"game", "text NOT NULL", "the id of the game: momentum, petteia, fourmation, flugelrad or tanks"},
			{"options", "jsonb NOT NULL", "the options of the game: an object with a number for each"},
			{"clock", "text", "minutes and seconds a move, such as 5+3, or days a move, such as 3d; null without a clock"},
			{"start_position", "text", "the position from which the match began, in one line; null for the beginning of the game"},
			{"result", "text NOT NULL CHECK (result IN ('first', 'second', 'draw'))", "first, second or draw: the side that won, or neither"},
			{"reason", "text NOT NULL", "why the match ended: a code of the rules of the game, or resigned, timeout, agreement, abandoned, claimed, length_limit or adjudicated"},
			{"plies", "integer NOT NULL", "how many moves were made, given ones included"},
			{"given_plies", "integer NOT NULL", "how many of them were made before the players took over"},
			{"rated", "boolean NOT NULL", "whether the match was played for ratings"},
			{"hints", "integer NOT NULL", "how many hints a player took, against the computer"},
			{"takebacks", "integer NOT NULL", "how often a player took moves back, against the computer; moves that were taken back are in no table"},
			{"started_at", "timestamptz", "when the second seat was taken; null if that is not known"},
			{"ended_at", "timestamptz NOT NULL", "when the match ended"},
			{"event_id", "text", "the id of the event to which the match belongs; null for none"},
			{"event_name", "text", "the name of the event"},
			{"event_round", "integer", "the round of the event; null if it has no rounds"},
			{"event_board", "integer", "the board of the round"},
			{"content_hash", "bytea NOT NULL", "a hash of all rows of the match, by which export-sql sees what has changed"},
		},
		indexes: []string{"(game, ended_at)", "(ended_at)", "(event_id) WHERE event_id IS NOT NULL"},
	},
	{
		name:    resultsTable,
		comment: "What a match was for each side: two rows a match.",
		columns: []column{
			{"match_id", matchID + " NOT NULL", "the match"},
			{"side", "smallint NOT NULL CHECK (side IN (1, 2))", "1 for the first side, 2 for the second"},
			{"kind", "text NOT NULL", "what played: player, guest, bot (a computer player of the club) or engine (a computer account)"},
			{"player_id", "text", "the id of the account, which stays the same when the name changes; null for guests, bots and deleted accounts"},
			{"name", "text NOT NULL", "the name that the account has now; of guests and bots the name in the match; former player for a deleted account"},
			{"played_as", "text NOT NULL", "the name at the time of the match; former player for a deleted account"},
			{"bot_level", "text", "the level of a bot; null for all others"},
			{"outcome", "text NOT NULL CHECK (outcome IN ('won', 'drawn', 'lost'))", "won, drawn or lost"},
			{"score", "double precision NOT NULL", "1 for a win, 0.5 for a draw, 0 for a loss"},
			{"rating_before", "double precision", "the rating before the match; null if it was not rated"},
			{"rating_after", "double precision", "the rating after the match; null if it was not rated"},
			{"deviation_after", "double precision", "the deviation of the rating after the match; null if it was not rated, or if no match has counted for the account yet"},
			{"weight", "double precision", "how much the match counted for the rating, from 0 to 1; null if it was not rated"},
			{"discount", "text", "why it counted less than 1: repeated, new_account, daily_limit, same_moves, unsettled, dependent, unproven, or unrated by an operator; null if it counted fully"},
		},
		rules:   []string{"PRIMARY KEY (match_id, side)", "FOREIGN KEY (match_id) REFERENCES %s." + matchesTable + " ON DELETE CASCADE"},
		indexes: []string{"(player_id, match_id) WHERE player_id IS NOT NULL", "(name)"},
	},
	{
		name:    movesTable,
		comment: "The moves of the matches, as they stood at the end: one row a move.",
		columns: []column{
			{"match_id", matchID + " NOT NULL", "the match"},
			{"ply", "integer NOT NULL CHECK (ply >= 1)", "the number of the move in the match, from 1"},
			{"side", "smallint NOT NULL CHECK (side IN (1, 2))", "the side that moved: 1 or 2"},
			{"move", "text NOT NULL", "the move in the notation of the game"},
			{"given", "boolean NOT NULL", "whether the move was made before the players took over"},
			{"made_at", "timestamptz", "when the move was made; null for a given one"},
			{"spent_ms", "bigint", "how long the move took, in milliseconds; null for a given one"},
			{"left_ms", "bigint", "what the side had left on its clock after the move, in milliseconds; null without a clock and for a given move"},
		},
		rules:   []string{"PRIMARY KEY (match_id, ply)", "FOREIGN KEY (match_id) REFERENCES %s." + matchesTable + " ON DELETE CASCADE"},
		indexes: []string{"(ply, move) WHERE ply <= 8"},
	},
	{
		name:    stateTable,
		comment: "How far ludoteca export-sql has come: one row.",
		columns: []column{
			{"only_row", "boolean PRIMARY KEY DEFAULT true CHECK (only_row)", "always true"},
			{"club", "text NOT NULL DEFAULT ''", "the club whose matches these are"},
			{"run", "text NOT NULL DEFAULT ''", "the export that writes here, or wrote last; an older one that still runs ends itself"},
			{"position", matchID + " NOT NULL DEFAULT ''", "the match up to which the last export has come; empty when it was complete"},
			{"completed_at", "timestamptz", "when an export was complete last; null for never"},
		},
	},
	{
		name:    versionTable,
		comment: "The version of the form of these tables: one row.",
		columns: []column{
			{"only_row", "boolean PRIMARY KEY DEFAULT true CHECK (only_row)", "always true"},
			{"version", "integer NOT NULL", "the version"},
		},
	},
}

// columnsOf returns the names of the columns of a table.
func columnsOf(name string) []string {
	var names []string
	for _, t := range tables {
		if t.name != name {
			continue
		}
		for _, c := range t.columns {
			names = append(names, c.name)
		}
	}
	return names
}

// create returns the statements that make a table in a schema, which is quoted.
func (t table) create(schema string) []string {
	at := schema + "." + t.name
	var lines []string
	for _, c := range t.columns {
		lines = append(lines, c.name+" "+c.kind)
	}
	for _, r := range t.rules {
		lines = append(lines, strings.ReplaceAll(r, "%s", schema))
	}
	all := []string{
		fmt.Sprintf("CREATE TABLE %s (%s)", at, strings.Join(lines, ", ")),
		fmt.Sprintf("COMMENT ON TABLE %s IS %s", at, quoted(t.comment)),
	}
	for _, c := range t.columns {
		all = append(all, fmt.Sprintf("COMMENT ON COLUMN %s.%s IS %s", at, c.name, quoted(c.comment)))
	}
	for _, i := range t.indexes {
		all = append(all, fmt.Sprintf("CREATE INDEX ON %s %s", at, i))
	}
	return all
}

// quoted returns a text as a literal of SQL.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// schemaName is what the name of a schema may be: what needs no quotes.
var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// CheckSchema says what is wrong with the name of a schema.
func CheckSchema(name string) error {
	if !schemaName.MatchString(name) || strings.HasPrefix(name, "pg_") {
		return fmt.Errorf("%q is no name for the schema: up to 63 lower-case letters, digits and _, not pg_ at the beginning", name)
	}
	return nil
}

// prepare makes the schema and its tables where they are missing, and makes tables of an older version anew.
func (e *export) prepare(ctx context.Context) error {
	return e.transaction(ctx, func(tx pgx.Tx) error {
		var there bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", e.config.Schema).Scan(&there); err != nil {
			return err
		}
		if !there {
			if _, err := tx.Exec(ctx, "CREATE SCHEMA "+e.schema); err != nil {
				return err
			}
		}
		var made bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2)",
			e.config.Schema, versionTable).Scan(&made); err != nil {
			return err
		}
		if made {
			var version int
			if err := tx.QueryRow(ctx, "SELECT version FROM "+e.name(versionTable)).Scan(&version); err != nil {
				return err
			}
			switch {
			case version > Version:
				return fmt.Errorf("the tables in the schema %s have version %d, and this program knows %d: use a newer program, or another schema with --schema", e.config.Schema, version, Version)
			case version == Version:
				return nil
			}
			if err := e.drop(ctx, tx); err != nil {
				return err
			}
		}
		return e.create(ctx, tx)
	})
}

// drop removes all tables. What others have built on them stands in the way, and stays.
func (e *export) drop(ctx context.Context, tx pgx.Tx) error {
	var names []string
	for _, t := range tables {
		names = append(names, e.name(t.name))
	}
	_, err := tx.Exec(ctx, "DROP TABLE IF EXISTS "+strings.Join(names, ", "))
	if err != nil {
		return fmt.Errorf("the tables of an older version can't be made anew, because something else is built on them: %w", err)
	}
	return nil
}

// create makes all tables.
func (e *export) create(ctx context.Context, tx pgx.Tx) error {
	for _, t := range tables {
		for _, statement := range t.create(e.schema) {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("the table %s: %w", t.name, err)
			}
		}
	}
	_, err := tx.Exec(ctx, "INSERT INTO "+e.name(versionTable)+" (version) VALUES ($1)", Version)
	_, also := tx.Exec(ctx, "INSERT INTO "+e.name(stateTable)+" DEFAULT VALUES")
	return errors.Join(err, also)
}

// name returns the name of a table with its schema.
func (e *export) name(table string) string { return e.schema + "." + table }
