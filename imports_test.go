package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows lists, for each folder, the folders that its packages and their tests may import beside
// themselves. A folder names its sub-packages too; the longest name that fits counts.
var arrows = withEngines(map[string][]string{
	"ludoteca":             {"ludoteca/games/catalog", "ludoteca/sshapp/cli"},
	"ludoteca/games":       {"ludoteca/games"},
	"ludoteca/storage":     {"ludoteca/games", "ludoteca/storage/kv/", "ludoteca/storage/migrations/"},
	"ludoteca/lobby":       {"ludoteca/lobby", "ludoteca/games", "ludoteca/storage"},
	"ludoteca/sshapp":      {"ludoteca/sshapp", "ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/atomicfile"},
	"ludoteca/hostkeys":    {"ludoteca/atomicfile"},
	"ludoteca/atomicfile":  {},
	"ludoteca/deploy":      {},
	"ludoteca/sshapp/cli":  {"ludoteca/sshapp", "ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/hostkeys", "ludoteca/atomicfile"},
	"ludoteca/sshapp/club": {"ludoteca/sshapp", "ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/hostkeys"},

	// Records know what is stored, and nothing of sessions.
	"ludoteca/sshapp/records":             {"ludoteca/storage", "ludoteca/games", "ludoteca/lobby"},
	"ludoteca/sshapp/records/files":       {"ludoteca/storage", "ludoteca/lobby", "ludoteca/sshapp/records/"},
	"ludoteca/sshapp/records/recordstest": {"ludoteca/storage", "ludoteca/games", "ludoteca/lobby", "ludoteca/sshapp/records"},
	"ludoteca/sshapp/records/sftpserver":  {"ludoteca/games", "ludoteca/sshapp/records"},

	// Tables for SQL are made from what everybody may see of matches.
	"ludoteca/sshapp/sqlexport": {"ludoteca/games", "ludoteca/storage/", "ludoteca/storage/results/", "ludoteca/lobby/standings", "ludoteca/sshapp/records/"},

	// What sends notices knows nothing of what they are about, which their words do.
	"ludoteca/sshapp/notices":               {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/sshapp/text/", "ludoteca/sshapp/wording/", "ludoteca/sshapp/notices/mail", "ludoteca/sshapp/notices/ntfy"},
	"ludoteca/sshapp/notices/mail":          {},
	"ludoteca/sshapp/notices/mail/mailtest": {},
	"ludoteca/sshapp/notices/ntfy":          {"ludoteca/sshapp/notices/mail"},

	// The flags, the version and what opens a store know nothing of the club that is served with them.
	"ludoteca/sshapp/flagset":        {},
	"ludoteca/sshapp/spelling":       {},
	"ludoteca/sshapp/version":        {},
	"ludoteca/sshapp/club/clubstore": {"ludoteca/storage", "ludoteca/lobby/names", "ludoteca/lobby/rating", "ludoteca/atomicfile", "ludoteca/sshapp/control", "ludoteca/sshapp/status", "ludoteca/sshapp/flagset"},
	"ludoteca/sshapp/e2e":            {"ludoteca/sshapp", "ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/hostkeys"},
	"ludoteca/games/board":           {"ludoteca/games/"},
	"ludoteca/games/dfpn":            {},
	"ludoteca/games/bot":             {"ludoteca/games"},
	"ludoteca/games/catalog":         {"ludoteca/games"},
	"ludoteca/games/lab":             {"ludoteca/games", "ludoteca/atomicfile"},

	// The lobby, from the mechanisms up to the services.
	"ludoteca/lobby/clock":            {},
	"ludoteca/lobby/feed":             {},
	"ludoteca/lobby/limits":           {},
	"ludoteca/lobby/names":            {},
	"ludoteca/lobby/rating":           {"ludoteca/storage"},
	"ludoteca/lobby/refusal":          {},
	"ludoteca/lobby/presence/atboard": {"ludoteca/storage"},
	"ludoteca/lobby/throttle":         {},
	"ludoteca/lobby/match":            {"ludoteca/lobby/presence/atboard", "ludoteca/games", "ludoteca/storage", "ludoteca/lobby/clock", "ludoteca/lobby/rating"},
	"ludoteca/lobby/nodes":            {"ludoteca/storage", "ludoteca/lobby/refusal"},
	"ludoteca/lobby/bulletin":         {"ludoteca/storage", "ludoteca/lobby/feed"},
	"ludoteca/lobby/notices": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/attempts", "ludoteca/lobby/clock", "ludoteca/lobby/codes", "ludoteca/lobby/match",
		"ludoteca/lobby/nodes", "ludoteca/lobby/origin", "ludoteca/lobby/refusal", "ludoteca/lobby/restrictions", "ludoteca/lobby/tasks"},
	"ludoteca/lobby/origin":       {"ludoteca/lobby/throttle"},
	"ludoteca/lobby/tasks":        {"ludoteca/lobby/refusal"},
	"ludoteca/lobby/attempts":     {"ludoteca/storage", "ludoteca/lobby/origin", "ludoteca/lobby/refusal", "ludoteca/lobby/tasks"},
	"ludoteca/lobby/codes":        {"ludoteca/storage", "ludoteca/lobby/match"},
	"ludoteca/lobby/pairing":      {"ludoteca/storage", "ludoteca/lobby/clock", "ludoteca/lobby/match"},
	"ludoteca/lobby/presence":     {"ludoteca/storage", "ludoteca/lobby/feed", "ludoteca/lobby/match", "ludoteca/lobby/presence/atboard", "ludoteca/lobby/nodes"},
	"ludoteca/lobby/restrictions": {"ludoteca/storage", "ludoteca/lobby/match", "ludoteca/lobby/nodes", "ludoteca/lobby/refusal", "ludoteca/lobby/tasks"},
	"ludoteca/lobby/standings": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/match",
		"ludoteca/lobby/rating", "ludoteca/lobby/refusal", "ludoteca/lobby/tasks"},
	"ludoteca/lobby/thinking": {"ludoteca/games", "ludoteca/lobby/origin"},
	"ludoteca/lobby/accounts": {"ludoteca/storage", "ludoteca/lobby/attempts", "ludoteca/lobby/codes", "ludoteca/lobby/match",
		"ludoteca/lobby/names", "ludoteca/lobby/nodes", "ludoteca/lobby/origin", "ludoteca/lobby/refusal", "ludoteca/lobby/restrictions",
		"ludoteca/lobby/tasks"},
	"ludoteca/lobby/nicknames": {"ludoteca/storage", "ludoteca/lobby/match", "ludoteca/lobby/names",
		"ludoteca/lobby/origin", "ludoteca/lobby/refusal"},
	"ludoteca/lobby/analyses": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/feed", "ludoteca/lobby/match",
		"ludoteca/lobby/origin", "ludoteca/lobby/refusal", "ludoteca/lobby/thinking"},
	"ludoteca/lobby/plans": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/match", "ludoteca/lobby/origin",
		"ludoteca/lobby/refusal"},
	"ludoteca/lobby/vacations": {"ludoteca/storage", "ludoteca/lobby/match", "ludoteca/lobby/nodes", "ludoteca/lobby/origin",
		"ludoteca/lobby/refusal", "ludoteca/lobby/tasks"},
	"ludoteca/lobby/studies": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/codes", "ludoteca/lobby/match", "ludoteca/lobby/origin",
		"ludoteca/lobby/refusal"},
	"ludoteca/lobby/together": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/feed", "ludoteca/lobby/match", "ludoteca/lobby/origin",
		"ludoteca/lobby/refusal", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/lounge": {"ludoteca/storage", "ludoteca/lobby/feed", "ludoteca/lobby/match", "ludoteca/lobby/nodes",
		"ludoteca/lobby/origin", "ludoteca/lobby/refusal", "ludoteca/lobby/restrictions"},
	"ludoteca/lobby/tells": {"ludoteca/storage", "ludoteca/lobby/feed", "ludoteca/lobby/match", "ludoteca/lobby/nodes",
		"ludoteca/lobby/refusal", "ludoteca/lobby/restrictions"},
	"ludoteca/lobby/chat": {"ludoteca/storage", "ludoteca/lobby/feed", "ludoteca/lobby/match", "ludoteca/lobby/nodes",
		"ludoteca/lobby/origin", "ludoteca/lobby/refusal", "ludoteca/lobby/restrictions"},
	"ludoteca/lobby/live": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/clock", "ludoteca/lobby/feed", "ludoteca/lobby/match", "ludoteca/lobby/presence/atboard",
		"ludoteca/lobby/origin", "ludoteca/lobby/refusal", "ludoteca/lobby/thinking"},
	"ludoteca/lobby/relations": {"ludoteca/storage", "ludoteca/lobby/feed", "ludoteca/lobby/match", "ludoteca/lobby/nodes",
		"ludoteca/lobby/refusal", "ludoteca/lobby/restrictions", "ludoteca/lobby/tasks", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/learning": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/rating", "ludoteca/lobby/match", "ludoteca/lobby/refusal",
		"ludoteca/lobby/thinking"},
	"ludoteca/lobby/registry": {"ludoteca/storage", "ludoteca/lobby/feed", "ludoteca/lobby/limits", "ludoteca/lobby/live",
		"ludoteca/lobby/match", "ludoteca/lobby/origin", "ludoteca/lobby/refusal"},
	"ludoteca/lobby/lists": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/clock", "ludoteca/lobby/feed",
		"ludoteca/lobby/limits", "ludoteca/lobby/live", "ludoteca/lobby/match", "ludoteca/lobby/nodes", "ludoteca/lobby/presence",
		"ludoteca/lobby/refusal", "ludoteca/lobby/registry", "ludoteca/lobby/restrictions", "ludoteca/lobby/standings", "ludoteca/lobby/tasks"},
	"ludoteca/lobby/news": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/lists", "ludoteca/lobby/match", "ludoteca/lobby/bulletin", "ludoteca/lobby/presence/atboard",
		"ludoteca/lobby/refusal", "ludoteca/lobby/tournaments", "ludoteca/lobby/tournaments/state"},
	"ludoteca/lobby/matches": {"ludoteca/storage", "ludoteca/lobby/clock", "ludoteca/lobby/feed", "ludoteca/lobby/live",
		"ludoteca/lobby/match", "ludoteca/lobby/presence/atboard", "ludoteca/lobby/nodes", "ludoteca/lobby/refusal", "ludoteca/lobby/registry", "ludoteca/lobby/restrictions",
		"ludoteca/lobby/tasks"},
	"ludoteca/lobby/seats": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/attempts", "ludoteca/lobby/chat",
		"ludoteca/lobby/clock", "ludoteca/lobby/codes", "ludoteca/lobby/feed", "ludoteca/lobby/limits", "ludoteca/lobby/live",
		"ludoteca/lobby/match", "ludoteca/lobby/presence/atboard", "ludoteca/lobby/matches", "ludoteca/lobby/names", "ludoteca/lobby/nodes", "ludoteca/lobby/origin",
		"ludoteca/lobby/pairing", "ludoteca/lobby/presence", "ludoteca/lobby/refusal", "ludoteca/lobby/registry",
		"ludoteca/lobby/restrictions", "ludoteca/lobby/standings", "ludoteca/lobby/tasks", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/engines": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/clock", "ludoteca/lobby/limits", "ludoteca/lobby/match",
		"ludoteca/lobby/origin", "ludoteca/lobby/presence", "ludoteca/lobby/refusal", "ludoteca/lobby/registry", "ludoteca/lobby/seats"},
	"ludoteca/lobby/operators": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/accounts", "ludoteca/lobby/chat",
		"ludoteca/lobby/lists", "ludoteca/lobby/live", "ludoteca/lobby/match", "ludoteca/lobby/matches", "ludoteca/lobby/names",
		"ludoteca/lobby/origin", "ludoteca/lobby/refusal", "ludoteca/lobby/restrictions", "ludoteca/lobby/seats", "ludoteca/lobby/standings"},
	"ludoteca/lobby/quick": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/clock", "ludoteca/lobby/feed", "ludoteca/lobby/match",
		"ludoteca/lobby/nodes", "ludoteca/lobby/pairing", "ludoteca/lobby/refusal", "ludoteca/lobby/registry", "ludoteca/lobby/seats",
		"ludoteca/lobby/standings", "ludoteca/lobby/tasks"},
	"ludoteca/lobby/tournaments/matching": {},
	"ludoteca/lobby/tournaments/pairings": {"ludoteca/games", "ludoteca/lobby/tournaments/matching"},
	"ludoteca/lobby/tournaments/state":    {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/clock", "ludoteca/lobby/tournaments/pairings"},
	"ludoteca/lobby/standingoffers": {"ludoteca/storage", "ludoteca/lobby/clock", "ludoteca/lobby/codes", "ludoteca/lobby/match", "ludoteca/lobby/nodes",
		"ludoteca/lobby/origin", "ludoteca/lobby/presence", "ludoteca/lobby/refusal", "ludoteca/lobby/registry", "ludoteca/lobby/restrictions", "ludoteca/lobby/seats"},
	"ludoteca/lobby/tournaments": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby/attempts", "ludoteca/lobby/clock", "ludoteca/lobby/codes", "ludoteca/lobby/feed",
		"ludoteca/lobby/live", "ludoteca/lobby/match", "ludoteca/lobby/names", "ludoteca/lobby/nodes", "ludoteca/lobby/origin", "ludoteca/lobby/refusal",
		"ludoteca/lobby/registry", "ludoteca/lobby/tasks", "ludoteca/lobby/tournaments/state"},

	// A subject of the store knows those below it; only schema and repair know all.
	"ludoteca/storage/accounts":         {"ludoteca/storage/", "ludoteca/storage/kv/"},
	"ludoteca/storage/relations":        {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/"},
	"ludoteca/storage/learning":         {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/"},
	"ludoteca/storage/studies":          {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/"},
	"ludoteca/storage/notices":          {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/"},
	"ludoteca/storage/vacations":        {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/"},
	"ludoteca/storage/results":          {"ludoteca/games", "ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/", "ludoteca/storage/results/openings/"},
	"ludoteca/storage/results/openings": {"ludoteca/games"},
	"ludoteca/storage/standingoffers":   {"ludoteca/games/", "ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/"},
	"ludoteca/storage/matches":          {"ludoteca/games", "ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/results/"},
	"ludoteca/storage/tournaments":      {"ludoteca/games", "ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/", "ludoteca/storage/matches/", "ludoteca/storage/results/"},
	"ludoteca/storage/chat":             {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/results/", "ludoteca/storage/matches/"},
	"ludoteca/storage/tells":            {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/"},
	"ludoteca/storage/operators":        {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/accounts/", "ludoteca/storage/results/"},
	"ludoteca/storage/cluster":          {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/matches/"},
	"ludoteca/storage/schema": {"ludoteca/storage/", "ludoteca/storage/kv/", "ludoteca/storage/migrations/", "ludoteca/storage/accounts/", "ludoteca/storage/relations/",
		"ludoteca/storage/results/", "ludoteca/storage/matches/", "ludoteca/storage/chat/", "ludoteca/storage/operators/", "ludoteca/storage/cluster/", "ludoteca/storage/learning/",
		"ludoteca/storage/studies/", "ludoteca/storage/tells/", "ludoteca/storage/tournaments/", "ludoteca/storage/notices/", "ludoteca/storage/standingoffers/", "ludoteca/storage/vacations/"},
	"ludoteca/storage/repair":      {"ludoteca/storage"},
	"ludoteca/storage/storagetest": {"ludoteca/storage", "ludoteca/games"},

	// The port knows nothing of the project, and an engine only the port.
	"ludoteca/storage/kv":            {},
	"ludoteca/storage/kv/bolt":       {"ludoteca/storage/kv", "ludoteca/atomicfile", "ludoteca/storage/diskspace/"},
	"ludoteca/storage/kv/bolt/pages": {"ludoteca/storage/kv/"},
	"ludoteca/storage/kv/etcd":       {"ludoteca/storage/kv"},
	"ludoteca/storage/kv/postgres":   {"ludoteca/storage/kv"},
	"ludoteca/storage/kv/overlay":    {"ludoteca/storage/kv/"},
	"ludoteca/storage/kv/faulttest":  {"ludoteca/storage/kv/", "ludoteca/storage/kv/remote/"},
	"ludoteca/storage/kv/recent":     {"ludoteca/storage/kv/"},
	"ludoteca/storage/kv/remote":     {"ludoteca/storage/kv/", "ludoteca/storage/kv/overlay/"},
	"ludoteca/storage/kv/kvtest":     {"ludoteca/storage/kv/"},
	"ludoteca/storage/diskspace":     {},

	// What starts servers of PostgreSQL for tests knows nothing of the project.
	"ludoteca/storage/kv/postgres/pgserver": {},

	// Old stored forms are read without the data model, which moves on.
	"ludoteca/storage/migrations": {"ludoteca/storage/kv"},

	// Modules of their own run the program, and the data model, on a real cluster and a real server.
	"ludoteca/storage/kv/etcd/etcdtest":   {"ludoteca/storage", "ludoteca/games"},
	"ludoteca/storage/kv/postgres/pgtest": {"ludoteca/storage"},

	// An analysis asks computer players and the prover; the games themselves only its tests know.
	"ludoteca/games/analysis": {"ludoteca/games/", "ludoteca/games/bot/", "ludoteca/games/proof/", "ludoteca/games/catalog/", "ludoteca/games/fourmation/", "ludoteca/games/petteia/", "ludoteca/games/tanks/"},

	// The catalogue of sentences knows nothing of what they are about, which wording does.
	"ludoteca/sshapp/text":          {},
	"ludoteca/sshapp/greeting":      {"ludoteca/sshapp/text/"},
	"ludoteca/sshapp/text/template": {"ludoteca/games"}, // whose sentences it collects
	"ludoteca/sshapp/wording":       {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/sshapp/text/"},
	// How commands are described, and what they answer with, knows no command.
	"ludoteca/sshapp/command/reply":       {"ludoteca/sshapp/text/"},
	"ludoteca/sshapp/command/tree":        {"ludoteca/sshapp/text/", "ludoteca/sshapp/spelling/", "ludoteca/sshapp/flagset/"},
	"ludoteca/sshapp/command/prompt":      {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/sshapp/text/", "ludoteca/sshapp/wording/", "ludoteca/sshapp/ui/boardview/"},
	"ludoteca/sshapp/command/lineedit":    {"ludoteca/sshapp/text/"},
	"ludoteca/sshapp/command/programlink": {"ludoteca/games"},
	"ludoteca/sshapp/command/gate":        {"ludoteca/lobby", "ludoteca/storage/kv/", "ludoteca/sshapp/command/reply/", "ludoteca/sshapp/command/tree/"},

	// The terminal driver knows nothing of games.
	"ludoteca/sshapp/terminal": {},

	// Lending cores is about searches alone.
	"ludoteca/sshapp/worker": {"ludoteca/games", "ludoteca/lobby/thinking", "ludoteca/lobby/origin"},

	// What starts the program in tests knows nothing of it but host keys, and measurements start it so. The clients of tests know nothing of it, nor
	// does what checks events, which counts for itself.
	"ludoteca/sshapp/e2e/program":   {"ludoteca/hostkeys"},
	"ludoteca/sshapp/e2e/nodes":     {"ludoteca/sshapp/e2e/program"},
	"ludoteca/sshapp/e2e/sshclient": {},
	"ludoteca/sshapp/e2e/eventtest": {},
	"ludoteca/sshapp/loadtest":      {"ludoteca/sshapp", "ludoteca/games", "ludoteca/storage", "ludoteca/lobby"},

	// The parts of screens know how a board is drawn, for its colours, and nothing of sessions and matches.
	"ludoteca/sshapp/ui/boardview": {"ludoteca/games", "ludoteca/sshapp/text/", "ludoteca/sshapp/terminal/canvas"},
	"ludoteca/sshapp/ui/widget":    {"ludoteca/sshapp/text/", "ludoteca/sshapp/terminal/canvas", "ludoteca/sshapp/ui/boardview/"},

	// What every screen is, and what it says of matches and players, knows no screen.
	"ludoteca/sshapp/ui/screen": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/sshapp/text/", "ludoteca/sshapp/wording/", "ludoteca/sshapp/status", "ludoteca/sshapp/greeting",
		"ludoteca/sshapp/terminal/canvas", "ludoteca/sshapp/ui/widget/"},
	"ludoteca/sshapp/ui/describe":     {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/sshapp/text/", "ludoteca/sshapp/wording/", "ludoteca/sshapp/ui/screen/"},
	"ludoteca/sshapp/ui/optionfields": pageArrows(),

	// A screen opens others, and is opened by others, in one direction. None knows the app.
	"ludoteca/sshapp/ui/boardpage":    pageArrows(),
	"ludoteca/sshapp/ui/accountpage":  append(pageArrows(), "ludoteca/sshapp/moment/"),
	"ludoteca/sshapp/ui/operatorpage": pageArrows(),
	"ludoteca/sshapp/ui/positionpage": pageArrows("boardpage"),
	"ludoteca/sshapp/ui/lessonpage":   pageArrows("boardpage"),
	"ludoteca/sshapp/ui/puzzlepage":   pageArrows("boardpage"),
	"ludoteca/sshapp/ui/newmatch":     pageArrows("positionpage", "lessonpage", "puzzlepage"),
	"ludoteca/sshapp/ui/review":       pageArrows("boardpage", "newmatch"),
	"ludoteca/sshapp/ui/talkpage":     pageArrows(),
	"ludoteca/sshapp/ui/people":       pageArrows("newmatch", "review", "talkpage"),
	"ludoteca/sshapp/ui/eventspage":   append(pageArrows("boardpage"), "ludoteca/sshapp/moment/"),
	"ludoteca/sshapp/ui/lobbypage":    pageArrows("eventspage", "accountpage", "operatorpage", "newmatch", "people", "boardpage", "review", "lessonpage", "puzzlepage", "talkpage"),
	"ludoteca/sshapp/ui/matchpage":    pageArrows("accountpage", "boardpage", "people", "review"),
	"ludoteca/sshapp/ui/cast":         pageArrows(),
	"ludoteca/sshapp/ui/pages":        pageArrows("eventspage", "accountpage", "newmatch", "lobbypage", "matchpage", "people", "review", "talkpage"),
})

// pageArrows are the arrows of a package of screens: what all of them use, and some other packages of screens.
func pageArrows(others ...string) []string {
	to := slices.Clone(allPages)
	for _, o := range others {
		to = append(to, "ludoteca/sshapp/ui/"+o+"/")
	}
	return to
}

// allPages lists what each package of screens may import.
var allPages = []string{
	"ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/sshapp/text/", "ludoteca/sshapp/wording/", "ludoteca/sshapp/status", "ludoteca/sshapp/greeting",
	"ludoteca/sshapp/terminal/canvas", "ludoteca/sshapp/ui/widget/", "ludoteca/sshapp/ui/boardview/", "ludoteca/sshapp/ui/screen/",
	"ludoteca/sshapp/ui/describe/", "ludoteca/sshapp/ui/optionfields/",
}

// ways lists, for each folder, the folders that its packages may reach only indirectly, beside the folders that they may import
// themselves. So both tables together list all dependencies of a package.
var ways = map[string][]string{
	"ludoteca": {"ludoteca/games", "ludoteca/storage", "ludoteca/lobby", "ludoteca/sshapp", "ludoteca/hostkeys", "ludoteca/atomicfile"},

	"ludoteca/games/analysis":        {"ludoteca/games/board", "ludoteca/games/deadline", "ludoteca/games/dfpn"},
	"ludoteca/sshapp/e2e":            {"ludoteca/atomicfile"},
	"ludoteca/sshapp/club":           {"ludoteca/atomicfile"},
	"ludoteca/sshapp/club/clubstore": {"ludoteca/sshapp/wording", "ludoteca/games", "ludoteca/sshapp/text", "ludoteca/lobby"},
	"ludoteca/sshapp/e2e/program":    {"ludoteca/atomicfile"},
	"ludoteca/sshapp/e2e/nodes":      {"ludoteca/hostkeys", "ludoteca/atomicfile"},
	"ludoteca/sshapp/loadtest":       {"ludoteca/hostkeys", "ludoteca/atomicfile"},
	"ludoteca/sshapp/worker":         {"ludoteca/lobby/throttle"},
	"ludoteca/sshapp/command/gate":   {"ludoteca/games", "ludoteca/storage", "ludoteca/sshapp/text", "ludoteca/sshapp/spelling", "ludoteca/sshapp/flagset"},

	"ludoteca/storage/accounts":       {"ludoteca/games/", "ludoteca/storage/migrations"},
	"ludoteca/storage/relations":      {"ludoteca/games/", "ludoteca/storage/migrations"},
	"ludoteca/storage/learning":       {"ludoteca/games/", "ludoteca/storage/migrations"},
	"ludoteca/storage/studies":        {"ludoteca/games/", "ludoteca/storage/migrations"},
	"ludoteca/storage/tells":          {"ludoteca/games/", "ludoteca/storage/migrations"},
	"ludoteca/storage/notices":        {"ludoteca/games/", "ludoteca/storage/migrations"},
	"ludoteca/storage/vacations":      {"ludoteca/games/", "ludoteca/storage/migrations"},
	"ludoteca/storage/results":        {"ludoteca/storage/migrations"},
	"ludoteca/storage/standingoffers": {"ludoteca/storage/migrations"},
	"ludoteca/storage/matches":        {"ludoteca/storage/migrations", "ludoteca/storage/accounts", "ludoteca/storage/results/openings"},
	"ludoteca/storage/tournaments":    {"ludoteca/storage/migrations", "ludoteca/storage/results/openings"},
	"ludoteca/storage/chat":           {"ludoteca/games", "ludoteca/storage/migrations", "ludoteca/storage/accounts", "ludoteca/storage/results/openings"},
	"ludoteca/storage/operators":      {"ludoteca/games", "ludoteca/storage/migrations", "ludoteca/storage/results/openings"},
	"ludoteca/storage/cluster":        {"ludoteca/games", "ludoteca/storage/migrations", "ludoteca/storage/accounts", "ludoteca/storage/results"},
	"ludoteca/storage/schema":         {"ludoteca/games", "ludoteca/storage/results/openings"},
	"ludoteca/storage/repair":         {"ludoteca/games"},
	"ludoteca/storage/storagetest":    {"ludoteca/atomicfile"},

	"ludoteca/sshapp/command/prompt":      {"ludoteca/sshapp/terminal/canvas"},
	"ludoteca/sshapp/records/files":       {"ludoteca/games"},
	"ludoteca/sshapp/records/sftpserver":  {"ludoteca/lobby", "ludoteca/storage"},
	"ludoteca/sshapp/records/recordstest": {"ludoteca/atomicfile"},
	"ludoteca/sshapp/sqlexport":           {"ludoteca/storage", "ludoteca/lobby"},

	"ludoteca/lobby/presence/atboard": {"ludoteca/games"},
	"ludoteca/lobby/rating":           {"ludoteca/games"},
	"ludoteca/lobby/nodes":            {"ludoteca/games"},
	"ludoteca/lobby/bulletin":         {"ludoteca/games"},
	"ludoteca/lobby/notices":          {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/rating", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/attempts":         {"ludoteca/games", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/codes":            {"ludoteca/lobby/presence/atboard", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating"},
	"ludoteca/lobby/pairing":          {"ludoteca/lobby/presence/atboard", "ludoteca/games", "ludoteca/lobby/rating"},
	"ludoteca/lobby/presence":         {"ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating", "ludoteca/lobby/refusal"},
	"ludoteca/lobby/restrictions":     {"ludoteca/lobby/presence/atboard", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating"},
	"ludoteca/lobby/standings":        {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/clock"},
	"ludoteca/lobby/thinking":         {"ludoteca/lobby/throttle"},
	"ludoteca/lobby/accounts":         {"ludoteca/lobby/presence/atboard", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/nicknames":        {"ludoteca/lobby/presence/atboard", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/analyses":         {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/clock", "ludoteca/lobby/rating", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/together":         {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/clock", "ludoteca/lobby/rating"},
	"ludoteca/lobby/studies":          {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/clock", "ludoteca/lobby/rating", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/lounge":           {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/tasks", "ludoteca/lobby/throttle", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating"},
	"ludoteca/lobby/tells":            {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/tasks", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating"},
	"ludoteca/lobby/plans":            {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/clock", "ludoteca/lobby/rating", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/vacations":        {"ludoteca/lobby/presence/atboard", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/chat":             {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/tasks", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/learning":         {"ludoteca/lobby/presence/atboard", "ludoteca/lobby/clock", "ludoteca/lobby/origin", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/live":             {"ludoteca/lobby/rating", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/relations":        {"ludoteca/lobby/presence/atboard", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating"},
	"ludoteca/lobby/registry": {"ludoteca/lobby/presence/atboard", "ludoteca/games", "ludoteca/lobby/clock", "ludoteca/lobby/rating", "ludoteca/lobby/thinking",
		"ludoteca/lobby/throttle"},
	"ludoteca/lobby/lists": {"ludoteca/lobby/origin", "ludoteca/lobby/rating", "ludoteca/lobby/thinking",
		"ludoteca/lobby/throttle"},
	"ludoteca/lobby/news": {"ludoteca/lobby/attempts", "ludoteca/lobby/clock", "ludoteca/lobby/codes", "ludoteca/lobby/names", "ludoteca/lobby/feed", "ludoteca/lobby/limits", "ludoteca/lobby/live", "ludoteca/lobby/nodes", "ludoteca/lobby/origin",
		"ludoteca/lobby/presence", "ludoteca/lobby/rating", "ludoteca/lobby/registry", "ludoteca/lobby/restrictions", "ludoteca/lobby/standings",
		"ludoteca/lobby/tasks", "ludoteca/lobby/thinking", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/matches": {"ludoteca/games", "ludoteca/lobby/limits", "ludoteca/lobby/origin", "ludoteca/lobby/rating",
		"ludoteca/lobby/thinking", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/seats": {"ludoteca/lobby/rating", "ludoteca/lobby/thinking"},
	"ludoteca/lobby/standingoffers": {"ludoteca/games", "ludoteca/lobby/attempts", "ludoteca/lobby/chat", "ludoteca/lobby/feed", "ludoteca/lobby/limits", "ludoteca/lobby/live",
		"ludoteca/lobby/matches", "ludoteca/lobby/names", "ludoteca/lobby/pairing", "ludoteca/lobby/rating", "ludoteca/lobby/standings", "ludoteca/lobby/tasks",
		"ludoteca/lobby/thinking", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/engines": {"ludoteca/lobby/attempts", "ludoteca/lobby/chat", "ludoteca/lobby/codes", "ludoteca/lobby/feed", "ludoteca/lobby/live",
		"ludoteca/lobby/matches", "ludoteca/lobby/names", "ludoteca/lobby/nodes", "ludoteca/lobby/pairing",
		"ludoteca/lobby/rating", "ludoteca/lobby/restrictions", "ludoteca/lobby/standings", "ludoteca/lobby/tasks", "ludoteca/lobby/thinking",
		"ludoteca/lobby/throttle"},
	"ludoteca/lobby/operators": {"ludoteca/lobby/attempts", "ludoteca/lobby/clock", "ludoteca/lobby/codes", "ludoteca/lobby/feed",
		"ludoteca/lobby/limits", "ludoteca/lobby/nodes", "ludoteca/lobby/pairing", "ludoteca/lobby/presence", "ludoteca/lobby/rating",
		"ludoteca/lobby/registry", "ludoteca/lobby/tasks", "ludoteca/lobby/thinking", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/tournaments/state": {"ludoteca/lobby/tournaments/matching"},
	"ludoteca/lobby/tournaments":       {"ludoteca/lobby/tournaments/pairings", "ludoteca/lobby/tournaments/matching", "ludoteca/lobby/limits", "ludoteca/lobby/presence/atboard", "ludoteca/lobby/rating", "ludoteca/lobby/thinking", "ludoteca/lobby/throttle"},
	"ludoteca/lobby/quick": {"ludoteca/lobby/attempts", "ludoteca/lobby/chat", "ludoteca/lobby/codes", "ludoteca/lobby/limits",
		"ludoteca/lobby/live", "ludoteca/lobby/matches", "ludoteca/lobby/names", "ludoteca/lobby/origin", "ludoteca/lobby/presence",
		"ludoteca/lobby/rating", "ludoteca/lobby/restrictions", "ludoteca/lobby/thinking", "ludoteca/lobby/throttle"},

	// What draws boards and says things in words knows games and the lobby's values.
	"ludoteca/sshapp/ui/widget": {"ludoteca/games"},
	"ludoteca/sshapp/ui/screen": {"ludoteca/sshapp/ui/boardview"},
	"ludoteca/sshapp/ui/describe": {"ludoteca/sshapp/status", "ludoteca/sshapp/greeting", "ludoteca/sshapp/terminal/canvas", "ludoteca/sshapp/ui/widget",
		"ludoteca/sshapp/ui/boardview"},

	// Screens reach other screens through the screens that they open.
	"ludoteca/sshapp/ui/newmatch":  {"ludoteca/sshapp/ui/boardpage"},
	"ludoteca/sshapp/ui/review":    {"ludoteca/sshapp/ui/positionpage", "ludoteca/sshapp/ui/lessonpage", "ludoteca/sshapp/ui/puzzlepage"},
	"ludoteca/sshapp/ui/people":    {"ludoteca/sshapp/ui/boardpage", "ludoteca/sshapp/ui/positionpage", "ludoteca/sshapp/ui/lessonpage", "ludoteca/sshapp/ui/puzzlepage"},
	"ludoteca/sshapp/ui/matchpage": {"ludoteca/sshapp/moment", "ludoteca/sshapp/ui/newmatch", "ludoteca/sshapp/ui/talkpage", "ludoteca/sshapp/ui/positionpage", "ludoteca/sshapp/ui/lessonpage", "ludoteca/sshapp/ui/puzzlepage"},
	"ludoteca/sshapp/ui/lobbypage": {"ludoteca/sshapp/ui/positionpage", "ludoteca/sshapp/moment"},
	"ludoteca/sshapp/ui/pages": {"ludoteca/sshapp/ui/boardpage", "ludoteca/sshapp/moment", "ludoteca/sshapp/ui/positionpage",
		"ludoteca/sshapp/ui/operatorpage", "ludoteca/sshapp/ui/lessonpage", "ludoteca/sshapp/ui/puzzlepage"},
}

// engines are the folders below games with a rule sheet.
var engines = func() (folders []string) {
	sheets, _ := filepath.Glob("games/*/RULES.md") // the only error is a bad pattern
	for _, sheet := range sheets {
		folders = append(folders, "ludoteca/"+filepath.ToSlash(filepath.Dir(sheet)))
	}
	return folders
}()

// withEngines adds the engines to a table of arrows. They know only what a game is and what engines share.
func withEngines(table map[string][]string) map[string][]string {
	for _, folder := range engines {
		table[folder] = engineImports
	}
	return table
}

// engineImports lists the packages that an engine may import. The slash at the end of a path excludes the packages below it.
var engineImports = []string{"ludoteca/games/", "ludoteca/games/board/", "ludoteca/games/dfpn/", "ludoteca/games/gamestest/"}

// wholeStore lists further packages that tests of stored things may import, because the parts of a store work together.
var wholeStore = []string{
	"ludoteca/storage/accounts", "ludoteca/storage/relations", "ludoteca/storage/learning", "ludoteca/storage/studies", "ludoteca/storage/tells", "ludoteca/storage/notices", "ludoteca/storage/standingoffers", "ludoteca/storage/results", "ludoteca/storage/matches", "ludoteca/storage/chat",
	"ludoteca/storage/operators", "ludoteca/storage/schema", "ludoteca/storage/repair", "ludoteca/storage/migrations", "ludoteca/storage/tournaments",
	"ludoteca/storage/storagetest", "ludoteca/storage/kv/bolt", "ludoteca/storage/kv/kvtest",
}

// testArrows lists what tests may import besides.
var testArrows = map[string][]string{
	"ludoteca":                    {"ludoteca/sshapp/e2e/program", "ludoteca/sshapp/e2e/sshclient"}, // they do what the README says
	"ludoteca/storage":            append([]string{"ludoteca/lobby/rating"}, wholeStore...),         // a store made by an earlier program has its ratings
	"ludoteca/storage/matches":    wholeStore,
	"ludoteca/storage/migrations": wholeStore,
	"ludoteca/storage/schema":     append([]string{"ludoteca/games", "ludoteca/games/analysis"}, wholeStore...),
	"ludoteca/lobby/matches":      {"ludoteca/games", "ludoteca/games/fourmation", "ludoteca/lobby/limits", "ludoteca/lobby/origin", "ludoteca/lobby/thinking"},
	"ludoteca/deploy":             {"ludoteca/sshapp", "ludoteca/sshapp/metrics", "ludoteca/sshapp/status", "ludoteca/sshapp/e2e/program"}, // the guide names the metrics

	"ludoteca/sshapp/sqlexport":     {"ludoteca/storage/accounts", "ludoteca/storage/kv", "ludoteca/storage/kv/postgres/pgserver", "ludoteca/storage/schema", "ludoteca/storage/storagetest", "ludoteca/lobby/rating", "ludoteca/sshapp/records/recordstest"},
	"ludoteca/sshapp/records/files": {"ludoteca/sshapp/command/gate", "ludoteca/sshapp/records/recordstest"}, // lists are measured as sessions read them

	"ludoteca/sshapp/notices/mail": {"ludoteca/sshapp/notices/mail/mailtest"},

	"ludoteca/sshapp/ui/boardview": {"ludoteca/sshapp/wording"}, // which puts the ends of games into words

	"ludoteca/storage/kv/etcd/etcdtest":   {"ludoteca/sshapp/e2e/nodes", "ludoteca/sshapp/e2e/program", "ludoteca/sshapp/records", "ludoteca/sshapp/records/recordstest"},
	"ludoteca/storage/kv/postgres/pgtest": {"ludoteca/sshapp/e2e/nodes", "ludoteca/sshapp/e2e/program"},
}

// screens is the folder of the app and its screens. Their tests walk through the app from one screen to the next.
const screens = "ludoteca/sshapp/ui"

// chosen are packages that the club chooses, or the server: tests aside, only the folders listed here may import them.
var chosen = map[string][]string{
	"ludoteca/storage/kv/bolt":     {"ludoteca/sshapp/club/clubstore", "ludoteca/storage/storagetest"},
	"go.etcd.io/bbolt":             {"ludoteca/storage/kv/bolt"},
	"ludoteca/storage/kv/etcd":     {"ludoteca/sshapp/club/clubstore"},
	"go.etcd.io/etcd":              {"ludoteca/storage/kv/etcd"},
	"ludoteca/sshapp/ui/pages":     {"ludoteca/sshapp"},
	"ludoteca/storage/kv/postgres": {"ludoteca/sshapp/club/clubstore"},
	"github.com/jackc/pgx":         {"ludoteca/storage/kv/postgres", "ludoteca/storage/kv/postgres/pgserver", "ludoteca/sshapp/sqlexport"},
}

// pure are the folders that may not touch clocks, files, the network or the scheduler.
var pure = append([]string{"ludoteca/games/board", "ludoteca/games/dfpn", "ludoteca/lobby/rating", "ludoteca/lobby/names",
	"ludoteca/lobby/clock", "ludoteca/lobby/match", "ludoteca/lobby/pairing", "ludoteca/lobby/tournaments/matching",
	"ludoteca/lobby/tournaments/pairings", "ludoteca/storage/kv/overlay"}, engines...)

// timed are the pure folders that may do arithmetic with times, as long as callers pass them.
var timed = []string{"ludoteca/lobby/rating", "ludoteca/lobby/clock", "ludoteca/lobby/match", "ludoteca/lobby/pairing", "ludoteca/lobby/tournaments/pairings"}

// impure are packages that a pure one does not need.
var impure = []string{"os", "net", "time", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand", "sync", "context"}

// alone are folders besides the engines whose packages share nothing between goroutines: .ci/run leaves them out of the race detector.
var alone = []string{"ludoteca/games/proof", "ludoteca/games/puzzle"}

// listedEach lists the folders in which each package has a line of its own.
var listedEach = []string{"ludoteca/storage", "ludoteca/lobby"}

type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestImports(t *testing.T) {
	if len(engines) == 0 {
		t.Fatal("no engines in games")
	}
	modules := []string{".", "sshapp/compare", "sshapp/clustertest", "storage/kv/etcd/etcdtest", "storage/kv/postgres/pgtest"}
	checked := map[string]bool{}
	var inUse use
	for _, module := range modules {
		t.Run(module, func(t *testing.T) {
			testImports(t, module, &inUse)
			checked[module] = true
		})
	}
	if len(checked) == len(modules) {
		inUse.check(t, "arrows", arrows)
		inUse.check(t, "testArrows", testArrows)
		for _, to := range slices.Concat(sharedLists...) {
			if !inUse.shared[to] {
				t.Errorf("nothing imports %s, which several rows allow", to)
			}
		}
	}
}

// A use is which entries of the tables of arrows some import needs, by row and entry, and of the lists that rows share by entry.
type use struct{ rows, shared map[string]bool }

// sharedLists are the lists that several rows have whole, at their beginning or end. Each of their entries is needed by one row at least.
var sharedLists = [][]string{allPages, engineImports, wholeStore}

// note notes that a folder imports a package, by the row that the folder has in a table.
func (u *use) note(table string, row []string, home, imported string) {
	if u.rows == nil {
		u.rows, u.shared = map[string]bool{}, map[string]bool{}
	}
	for _, to := range row {
		if leadsTo(to, imported) {
			u.rows[table+" "+home+" "+to] = true
			u.shared[to] = true
		}
	}
}

// check fails the test for each entry of a table that nothing needs.
func (u *use) check(t *testing.T, name string, table map[string][]string) {
	t.Helper()
	for home, row := range table {
		for _, list := range sharedLists {
			n := len(list)
			switch {
			case len(row) >= n && slices.Equal(row[:n], list):
				row = row[n:]
			case len(row) >= n && slices.Equal(row[len(row)-n:], list):
				row = row[:len(row)-n]
			}
		}
		for _, to := range row {
			if !u.rows[name+" "+home+" "+to] {
				t.Errorf("nothing in %s imports %s: the table %s need not allow it", home, to, name)
			}
		}
	}
}

// testImports checks the packages of the module in a folder, and notes which entries of the tables they need.
func testImports(t *testing.T, folder string, inUse *use) {
	arguments := []string{"list", "-json=ImportPath,Imports,TestImports,XTestImports"}
	if folder != "." { // its go.mod follows the main module's, maybe later
		copied := t.TempDir()
		for _, name := range []string{"go.mod", "go.sum"} {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(copied, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		arguments = append(arguments, "-mod=mod", "-modfile="+filepath.Join(copied, "go.mod"))
	}
	list := exec.Command("go", append(arguments, "./...")...)
	list.Dir = folder
	list.Env = append(os.Environ(), "GOWORK=off", "GOOS=linux") // where no file is left out
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := map[string][]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		home := owner(p.ImportPath)
		if home == "" {
			t.Errorf("%s is in no folder of the table", p.ImportPath)
			continue
		}
		for _, each := range listedEach {
			if within(p.ImportPath, each) && home != p.ImportPath {
				t.Errorf("%s has no line of its own in the table", p.ImportPath)
			}
		}
		imports[p.ImportPath] = p.Imports
		for _, i := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			inUse.note("arrows", arrows[home], home, i)
			if !allowed(home, i) {
				inUse.note("testArrows", testArrows[home], home, i)
			}
			if !allowed(home, i) && (contains(p.Imports, i) || !contains(testArrows[home], i) && !(within(home, screens) && within(i, screens))) {
				t.Errorf("%s must not import %s", p.ImportPath, i)
			}
		}
		for _, i := range p.Imports {
			for folder, users := range chosen {
				if within(i, folder) && !within(p.ImportPath, folder) && !contains(users, p.ImportPath) {
					t.Errorf("%s must not import %s: that is for %v", p.ImportPath, i, users)
				}
			}
			if contains(pure, home) && contains(impure, i) && !(contains(timed, home) && i == "time") {
				t.Errorf("%s is pure and must not import %s", p.ImportPath, i)
			}
			for _, folder := range alone {
				if within(p.ImportPath, folder) && within(i, "sync") {
					t.Errorf("%s has no goroutines of its own and must not import %s", p.ImportPath, i)
				}
			}
		}
	}
	if len(imports) == 0 {
		t.Error("no packages")
	}
	if folder == "." { // a module of its own has the packages of this one not in its list
		checkWays(t, imports)
	}
}

// checkWays checks what each package reaches through others, by the imports of all packages, and that each way of the table is taken.
func checkWays(t *testing.T, imports map[string][]string) {
	taken := map[string]bool{}
	for path := range imports {
		home := owner(path)
		for reached, from := range reach(path, imports) {
			if allowed(home, reached) {
				continue
			}
			i := slices.IndexFunc(ways[home], func(to string) bool { return leadsTo(to, reached) })
			if i < 0 {
				t.Errorf("%s must not reach %s, through %s", path, reached, from)
				continue
			}
			taken[home+" "+ways[home][i]] = true
		}
	}
	for home, all := range ways {
		for _, to := range all {
			if !taken[home+" "+to] {
				t.Errorf("nothing in %s reaches %s through others: the table of ways need not say so", home, to)
			}
		}
	}
}

// reach returns the packages of the project that a package reaches, each with the one that imports it.
func reach(path string, imports map[string][]string) map[string]string {
	from := map[string]string{}
	for next := []string{path}; len(next) > 0; next = next[1:] {
		for _, i := range imports[next[0]] {
			if _, known := from[i]; !known && i != path && strings.HasPrefix(i, "ludoteca/") {
				from[i] = next[0]
				next = append(next, i)
			}
		}
	}
	return from
}

// owner returns the longest folder of the table that holds the package; main stands for itself alone.
func owner(path string) string {
	best := ""
	for folder := range arrows {
		if (path == folder || folder != "ludoteca" && strings.HasPrefix(path, folder+"/")) && len(folder) > len(best) {
			best = folder
		}
	}
	return best
}

func allowed(home, imported string) bool {
	if !strings.HasPrefix(imported, "ludoteca/") || imported == home {
		return true
	}
	if _, single := arrows[imported]; !single && strings.HasPrefix(imported, home+"/") {
		return true // a folder's own sub-package that has no line of its own
	}
	return slices.ContainsFunc(arrows[home], func(to string) bool { return leadsTo(to, imported) })
}

// leadsTo reports whether an entry of a table stands for a package. One that ends with a slash stands for itself alone, and any other for what is
// below it too.
func leadsTo(entry, path string) bool {
	if single, ok := strings.CutSuffix(entry, "/"); ok {
		return path == single
	}
	return within(path, entry)
}

// within reports whether a package is a folder or lies in it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
