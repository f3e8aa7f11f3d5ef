// Package deploy checks what is here for operators: units, a container file and the guide.
package deploy

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ludoteca/sshapp"
	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/status"
)

func TestMain(m *testing.M) { os.Exit(program.Run(m)) }

// deployed returns the files that are for operators, by name.
func deployed(t *testing.T) map[string]string {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, f := range files {
		if filepath.Ext(f.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name()] = string(text)
	}
	return texts
}

// helps returns what the program says with --help of each of its commands, by name.
func helps(t *testing.T) map[string]string {
	t.Helper()
	binary := program.Build(t, program.Path)
	help := func(words ...string) string {
		out, err := exec.Command(binary, append(words, "--help")...).Output()
		if err != nil {
			t.Fatalf("ludoteca %v --help: %v", words, err)
		}
		return string(out)
	}
	all := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z][a-z-]+) {2,}[A-Z]`).FindAllStringSubmatch(help(), -1) { // a command and what it does
		all[m[1]] = help(m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z][a-z-]+) {2,}[A-Z]`).FindAllStringSubmatch(all["operator"], -1) { // a verb
		all["operator"] += help("operator", m[1])
	}
	if all["serve"] == "" || all["backup"] == "" {
		t.Fatalf("the program says only what %d commands do", len(all))
	}
	return all
}

// TestProgram compares what is here with what the program says of itself.
func TestProgram(t *testing.T) {
	help := helps(t)
	t.Run("words", func(t *testing.T) { words(t, help) })
	t.Run("units", func(t *testing.T) { units(t, help["serve"]) })
	t.Run("containers", func(t *testing.T) { containers(t, help) })
}

// words checks that every flag, variable and command of ours that is named here is there.
func words(t *testing.T, helps map[string]string) {
	foreign := []string{"--now", "--system", "--home-dir", "--shell", "--name", "--stop-timeout", "--read-only", "--cap-drop", "--network", "--restart",
		"--security-opt", "--from", "--chown", "--config-file", "--max-txn-ops", "--cluster", "--peer-urls", "--prefix", "--format", "--health-cmd", "--rm",
		"--preserve", "--identifier", "--physical", "--write-out", "--priority", "--interval", "--timeout", "--start-period", "--match", "--side", "--bindir"}
	var flags, variables, commands []string
	for name, help := range helps {
		commands = append(commands, name)
		flags = append(flags, regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(help, -1)...)
		variables = append(variables, regexp.MustCompile(`LUDOTECA_[A-Z_]+`).FindAllString(help, -1)...)
	}
	for name, text := range deployed(t) {
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(text, -1) {
			if !slices.Contains(flags, flag) && !slices.Contains(foreign, flag) {
				t.Errorf("%s names %s, which no command has", name, flag)
			}
		}
		for _, v := range regexp.MustCompile(`LUDOTECA_[A-Z_]+`).FindAllString(text, -1) {
			if !slices.Contains(variables, v) {
				t.Errorf("%s names %s, which the program doesn't read", name, v)
			}
		}
		for _, m := range regexp.MustCompile("(?m)(?:^ +|`|bin/|-- )ludoteca ([a-z-]+)").FindAllStringSubmatch(text, -1) {
			if !slices.Contains(commands, m[1]) {
				t.Errorf("%s names the command %s", name, m[1])
			}
		}
	}
}

// containers checks the guide's section on a club in a container: commands of the program check, back up, restore, salvage and compact it, old
// copies are removed, the folders are the ones of the image, and a folder of the machine belongs to the image's user.
func containers(t *testing.T, helps map[string]string) {
	image, guide := deployed(t)["Containerfile"], deployed(t)["OPERATING.md"]
	_, guide, _ = strings.Cut(guide, "\nIn a container ")
	guide, _, _ = strings.Cut(guide, "\n## ")
	var named []string
	for _, m := range regexp.MustCompile(`(?m)^    .*podman (?:exec club /|run --rm .*)ludoteca ([a-z-]+)`).FindAllStringSubmatch(guide, -1) {
		if named = append(named, m[1]); helps[m[1]] == "" {
			t.Errorf("the guide names the command %s", m[1])
		}
	}
	for _, want := range []string{"status", "backup", "salvage", "compact"} {
		if !slices.Contains(named, want) {
			t.Errorf("the guide doesn't say how %s is run in a container", want)
		}
	}
	for _, want := range []string{` -name '*.db*' -mtime +28 -delete`, `cp --preserve=ownership "$copies/COPY.db" "$data/ludoteca.db"`} {
		if !strings.Contains(guide, want) {
			t.Errorf("the guide has no %s", want)
		}
	}
	for _, m := range regexp.MustCompile(` -v [a-z-]+:(/[a-z]+)`).FindAllStringSubmatch(guide, -1) {
		if !strings.Contains(image, "/rooms"+m[1]) {
			t.Errorf("the guide mounts %s, which the image hasn't", m[1])
		}
	}
	user := regexp.MustCompile(`(?m)^USER (\d+:\d+)$`).FindStringSubmatch(image)
	if user == nil || strings.Count(guide, "chown "+user[1]) != 2 {
		t.Errorf("a folder of the machine isn't given to the user of the image, %q", user)
	}
}

// setting returns the values that a unit gives a setting, in their order.
func setting(unit, name string) []string {
	var values []string
	for _, m := range regexp.MustCompile(`(?m)^`+name+`=(.*)$`).FindAllStringSubmatch(unit, -1) {
		values = append(values, m[1])
	}
	return values
}

// units checks that the units give the program exactly what it needs of them.
func units(t *testing.T, serve string) {
	texts := deployed(t)
	club, socket := texts["ludoteca.service"], texts["ludoteca.socket"]
	find := func(from, pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(from)
		if m == nil {
			t.Fatalf("there is no %s", pattern)
		}
		return m[1]
	}
	number := func(from, pattern string) int {
		n, err := strconv.Atoi(find(from, pattern))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	stopTimeout, err := time.ParseDuration(find(serve, `--stop-timeout [^-]*\(default (\w+);`))
	if err != nil {
		t.Fatal(err)
	}
	for where, wait := range map[string]int{
		"systemd": number(club, `(?m)^TimeoutStopSec=(\d+)$`), "podman": number(texts["OPERATING.md"], `--stop-timeout (\d+)`),
	} {
		if time.Duration(wait)*time.Second <= stopTimeout {
			t.Errorf("%s kills the club %d s after SIGTERM, before it would end itself after %v", where, wait, stopTimeout)
		}
	}
	connections := number(serve, `--max-connections [^-]*\(default (\d+);`)
	if files := number(club, `(?m)^LimitNOFILE=(\d+)$`); files < 2*connections {
		t.Errorf("%d files for %d connections", files, connections)
	}
	if never := setting(club, "StartLimitIntervalSec"); !slices.Equal(never, []string{"0"}) {
		t.Errorf("StartLimitIntervalSec is %q: a few crashes in a row would close the port for good", never)
	}
	// The first line says what there is, the second takes from it, the third gives back.
	filter := []string{"@system-service", "~@privileged @resources @aio", "setpriority sched_setscheduler"}
	if got := setting(club, "SystemCallFilter"); !slices.Equal(got, filter) {
		t.Errorf("the calls allowed are %q, want %q", got, filter)
	}
	if errno := setting(club, "SystemCallErrorNumber"); !slices.Equal(errno, []string{"EPERM"}) {
		t.Errorf("a call that isn't allowed gives %q, want an error rather than the end of the club", errno)
	}
	if free := setting(socket, "FreeBind"); !slices.Equal(free, []string{"yes"}) {
		t.Errorf("FreeBind is %q: at boot an address of the club's own isn't there yet", free)
	}
	if port := setting(socket, "ListenStream"); !slices.Equal(port, []string{"2222"}) {
		t.Errorf("the port is %q, and the guide says 2222", port)
	}
}

// metricsThere returns the names of all metrics.
func metricsThere(t *testing.T) (names []string) {
	t.Helper()
	reg := prometheus.NewRegistry()
	metrics.New(reg, sshapp.RefusalReasons(), sshapp.EndReasons())
	metrics.Watch(reg, func() status.Status { return status.Status{} })
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		names = append(names, f.GetName())
	}
	return names
}

// TestGuideNamesTheMetrics: each of them, and none that isn't there.
func TestGuideNamesTheMetrics(t *testing.T) {
	// What the guide leaves to the help texts.
	minor := []string{"ludoteca_connections_total", "ludoteca_handshakes_total", "ludoteca_sign_ins_total", "ludoteca_sessions_total",
		"ludoteca_network_bytes_total", "ludoteca_store_read_seconds", "ludoteca_store_commit_changes", "ludoteca_bots_thinking"}
	guide := deployed(t)["OPERATING.md"]
	named := regexp.MustCompile(`ludoteca_[a-z_]+`).FindAllString(guide, -1)
	there := metricsThere(t)
	for _, name := range there {
		if !slices.Contains(named, name) && !slices.Contains(minor, name) {
			t.Errorf("the guide says nothing of %s", name)
		}
	}
	for _, n := range named {
		if !slices.Contains(there, n) {
			t.Errorf("the guide names %s, which isn't there", n)
		}
	}
}

// TestGuideNamesTheFolder: the operator's commands look into ./data unless they are told where the club is, and only the key's
// owner may read the key.
func TestGuideNamesTheFolder(t *testing.T) {
	commands := regexp.MustCompile("(?m)(^ +.*|`)\\bludoteca (status|backup|recompute|hostkey)\\b[^`\n]*")
	found := commands.FindAllStringSubmatch(deployed(t)["OPERATING.md"], -1)
	if len(found) < 6 {
		t.Fatalf("the guide has %d such commands: %q", len(found), found)
	}
	for _, m := range found {
		if m[0] != "`ludoteca "+m[2] && !strings.Contains(m[0], " --data /var/lib/ludoteca") && !strings.Contains(m[0], "podman exec") {
			t.Errorf("%q names no folder", m[0])
		}
		if m[2] == "hostkey" && !strings.Contains(m[1], "runuser -u ludoteca -- ") {
			t.Errorf("%q is refused to other users than the club's", m[0])
		}
	}
}

// TestGuideInstallsWhatIsNamed: what a member and a node are told to read is there, for their groups, before they start.
func TestGuideInstallsWhatIsNamed(t *testing.T) {
	texts := deployed(t)
	guide := texts["OPERATING.md"]
	_, members, _ := strings.Cut(guide, "\n### Members of etcd\n")
	members, rest, _ := strings.Cut(members, "\n### Nodes\n")
	nodes, _, _ := strings.Cut(rest, "\n### ")
	for _, tt := range []struct{ name, part, group, named, start string }{
		{"a member", members, "ludoteca-etcd", texts["ludoteca-etcd.yaml"], "systemctl enable --now ludoteca-etcd.service"},
		{"a node", nodes, "ludoteca", nodes, "systemctl enable --now ludoteca.socket"},
	} {
		before, _, ok := strings.Cut(tt.part, tt.start)
		if !ok {
			t.Fatalf("%s isn't started", tt.name)
		}
		paths := regexp.MustCompile(`(?:[a-z-]+file: |LUDOTECA_STORE_(?:CA|CERT|KEY)=)(/etc/\S+)`).FindAllStringSubmatch(tt.named, -1)
		if len(paths) < 3 {
			t.Errorf("%s reads only %q", tt.name, paths)
		}
		for _, m := range paths {
			folder, file := filepath.Split(m[1])
			folder = filepath.Clean(folder)
			made := strings.Index(before, "install -d -m 0750 -g "+tt.group+" "+folder+"\n")
			filled := regexp.MustCompile(`(?m)^    install -m 0640 -g ` + tt.group + ` -t ` + folder + ` .*/certificates/` + file + `\b`).FindStringIndex(before)
			if made < 0 || filled == nil || filled[0] < made {
				t.Errorf("%s starts without %s for its group", tt.name, m[1])
			}
		}
	}
	if env := strings.Index(nodes, "/etc/ludoteca.env "); env < 0 || env > strings.Index(nodes, "systemctl enable --now") {
		t.Error("a node starts before it has its settings")
	}
}

// TestPostgres: the guide installs what a server of PostgreSQL is told to read before it starts, lets in the nodes behind the balancer and the other
// server, and waits for the standby; what is tried out on one machine has the nodes and the balancer of compose.yaml.
func TestPostgres(t *testing.T) {
	texts := deployed(t)
	settings, rules, unit := texts["ludoteca-postgresql.conf"], texts["ludoteca-postgresql-hba.conf"], texts["ludoteca-postgresql.service"]
	_, guide, _ := strings.Cut(texts["OPERATING.md"], "\n*By hand*")
	before, after, started := strings.Cut(guide, "systemctl enable --now ludoteca-postgresql.service")
	if !started || !strings.Contains(before, "-- /usr/lib/postgresql/17/bin/initdb -D /var/lib/ludoteca-postgresql/data ") {
		t.Fatal("the guide starts no server")
	}
	const install, folder = "    install -m 0640 -g ludoteca-postgresql ", "/etc/ludoteca-postgresql/"
	for _, want := range []string{
		"    install -d -m 0750 -g ludoteca-postgresql " + strings.TrimSuffix(folder, "/") + "\n",
		install + "deploy/ludoteca-postgresql.conf " + folder + "postgresql.conf ", install + "deploy/ludoteca-postgresql-hba.conf " + folder + "pg_hba.conf\n",
	} {
		if !strings.Contains(before, want) {
			t.Errorf("a server starts before %q", want)
		}
	}
	if got := setting(unit, "ExecStart"); len(got) != 1 || !strings.HasSuffix(got[0], "/17/bin/postgres -D /var/lib/ludoteca-postgresql/data -c config_file="+folder+"postgresql.conf") {
		t.Errorf("the unit starts %q", got)
	}
	if runtime := setting(unit, "RuntimeDirectory"); len(runtime) != 1 || !strings.Contains(settings, "\nunix_socket_directories = '/run/"+runtime[0]+"'\n") ||
		!strings.Contains(after, "-- psql -h /run/"+runtime[0]+" postgres") {
		t.Errorf("the socket is not in %q", runtime)
	}
	for _, file := range regexp.MustCompile(`(?m)^(?:ssl_\w+|hba)_file = '(.*)'$`).FindAllStringSubmatch(settings, -1) {
		if name := filepath.Base(file[1]); file[1] != folder+name || name != "pg_hba.conf" && !strings.Contains(before, "/root/certificates/"+name) {
			t.Errorf("the guide installs no %s", file[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^    server \w+ (\S+):2222 `).FindAllStringSubmatch(texts["haproxy.cfg"], -1) {
		if !regexp.MustCompile(`(?m)^hostssl +ludoteca +ludoteca +` + regexp.QuoteMeta(m[1]) + `/32 `).MatchString(rules) {
			t.Errorf("the node %s may not come", m[1])
		}
	}
	address := regexp.MustCompile("`postgres://ludoteca@([0-9.]+),([0-9.]+)/ludoteca\\?sslmode=verify-full`").FindStringSubmatch(texts["OPERATING.md"])
	if address == nil {
		t.Fatal("the guide names no two servers")
	}
	for _, server := range address[1:] {
		if !regexp.MustCompile(`(?m)^hostssl +replication +replica +`+regexp.QuoteMeta(server)+`/32 `).MatchString(rules) || !strings.Contains(settings, server) {
			t.Errorf("the server %s is not known to the other", server)
		}
	}
	both, etcd := texts["compose-postgres.yaml"], texts["compose.yaml"]
	part := func(of, from, to string) string {
		_, rest, _ := strings.Cut(of, from)
		text, _, _ := strings.Cut(rest, to)
		return text
	}
	for _, p := range [][2]string{{"x-club: ", "x-node: "}, {"\n  balancer:\n", "\nvolumes: "}} {
		if one, other := part(both, p[0], p[1]), part(etcd, p[0], p[1]); one == "" || one != other {
			t.Errorf("after %q the examples for containers differ:\n%s\n%s", p[0], one, other)
		}
	}
	if rest := strings.ReplaceAll(both, "$$", ""); strings.Contains(rest, "$") || strings.Contains(both, "healthcheck:") {
		t.Error("compose-postgres.yaml has a single $, or a check of health")
	}
}

// TestBackupOfANode: the unit of backups knows the club's settings, and on a node it reaches etcd by a file that the guide installs.
func TestBackupOfANode(t *testing.T) {
	texts := deployed(t)
	if got := setting(texts["ludoteca-backup.service"], "EnvironmentFile"); !slices.Equal(got, setting(texts["ludoteca.service"], "EnvironmentFile")) {
		t.Errorf("backups have the settings in %q", got)
	}
	if got := setting(texts["ludoteca-backup.service"], "OnFailure"); len(got) != 1 || texts[got[0]] == "" {
		t.Errorf("%q is started when a backup fails", got)
	}
	network, families := "PrivateNetwork", "RestrictAddressFamilies"
	if got := setting(texts["ludoteca-backup.service"], network); !slices.Equal(got, []string{"yes"}) {
		t.Errorf("%s=%q without etcd", network, got)
	}
	there := texts["ludoteca-backup-etcd.conf"]
	if !slices.Equal(setting(there, network), []string{"no"}) || !slices.Equal(setting(there, families), []string{"AF_INET AF_INET6"}) {
		t.Errorf("a node reaches no etcd by\n%s", there)
	}
	if !strings.Contains(texts["OPERATING.md"], " deploy/ludoteca-backup-etcd.conf /etc/systemd/system/ludoteca-backup.service.d/etcd.conf\n") {
		t.Error("the guide doesn't install it")
	}
}

// TestCertificates: the script makes certificates by which members and nodes know each other, and doesn't touch existing ones.
func TestCertificates(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil && os.Getenv("CI") == "" {
		t.Skip("no openssl here")
	}
	folder := filepath.Join(t.TempDir(), "certificates")
	run := func(words ...string) error { return exec.Command("./certificates.sh", words...).Run() }
	for _, wrong := range [][]string{nil, {folder}, {folder, "one"}, {folder, "=192.0.2.1"}, {folder, "one="}, {folder, "../one=192.0.2.1"}, {folder, "one=192.0.2.1,two"}} {
		if err := run(wrong...); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	if err := run(folder, "one=192.0.2.11", "two=two.example.com", "three=2001:db8::3"); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(read("ca.pem"))
	for machine, address := range map[string]string{"one": "192.0.2.11", "two": "two.example.com", "three": "2001:db8::3"} {
		for _, of := range []struct {
			file    string
			address string
			uses    []x509.ExtKeyUsage
			not     bool
		}{
			{"member", address, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, false},
			{"member", "", []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, false},
			{"member", "192.0.2.99", []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, true},
			{"node", "", []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, false},
			{"node", "", []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, true},
		} {
			name := filepath.Join(machine, of.file)
			pair, err := tls.X509KeyPair(read(name+".pem"), read(name+".key"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: of.address, KeyUsages: of.uses}); (err != nil) != of.not {
				t.Errorf("%s for %q and %v: %v", name, of.address, of.uses, err)
			}
			if info, err := os.Stat(filepath.Join(folder, name+".key")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s.key: %v, %v", name, info.Mode(), err)
			}
		}
		if string(read(machine+"/ca.pem")) != string(read("ca.pem")) {
			t.Errorf("%s has another authority", machine)
		}
	}
	key, authority := read("one/member.key"), read("ca.key")
	if err := run(folder, "one=192.0.2.11", "four=192.0.2.14"); err != nil {
		t.Fatal(err)
	}
	if string(read("one/member.key")) != string(key) || string(read("ca.key")) != string(authority) {
		t.Error("keys that were there are made anew")
	}
	if _, err := tls.X509KeyPair(read("four/node.pem"), read("four/node.key")); err != nil {
		t.Error(err)
	}
}

// TestAlerts: the rules and the dashboard name metrics that are there, and promtool takes the rules and finds that they alert when they should.
func TestAlerts(t *testing.T) {
	texts := deployed(t)
	there := append(metricsThere(t), "up", "process_resident_memory_bytes", "process_cpu_seconds_total")
	for _, file := range []string{"alerts.yaml", "alerts.test.yaml", "dashboard.json"} {
		named := regexp.MustCompile(`\b(?:ludoteca|process)_[a-z_]+`).FindAllString(texts[file], -1)
		if len(named) < 5 {
			t.Errorf("%s names %q", file, named)
		}
		for _, n := range named {
			if !slices.Contains(there, strings.TrimSuffix(n, "_bucket")) {
				t.Errorf("%s names %s, which isn't there", file, n)
			}
		}
	}
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal([]byte(texts["dashboard.json"]), &dashboard); err != nil || len(dashboard.Panels) < 5 {
		t.Errorf("the dashboard has %d panels: %v", len(dashboard.Panels), err)
	}
	if _, err := exec.LookPath("promtool"); err != nil && os.Getenv("CI") == "" {
		t.Skip("no promtool here")
	}
	for _, words := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts.test.yaml"}} {
		if out, err := exec.Command("promtool", words...).CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v\n%s", words, err, out)
		}
	}
	for _, panel := range dashboard.Panels { // as rules, for promtool has no other way to check an expression
		for _, target := range panel.Targets {
			rule := filepath.Join(t.TempDir(), "rule.yaml")
			text := fmt.Sprintf("groups: [{name: g, rules: [{record: r, expr: %q}]}]\n", target.Expr)
			if err := os.WriteFile(rule, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("promtool", "check", "rules", rule).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", target.Expr, err, out)
			}
		}
	}
}

// writeUnits puts the units where systemd-analyze can look at them, and returns their paths.
func writeUnits(t *testing.T) (folder string, paths []string) {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd here")
	}
	folder = t.TempDir()
	for name, text := range deployed(t) {
		switch filepath.Ext(name) {
		case ".service", ".socket", ".timer":
			path := filepath.Join(folder, name)
			text = regexp.MustCompile(`/usr/local/bin/(ludoteca|etcd)|/usr/lib/postgresql/\d+/bin/postgres`).ReplaceAllLiteralString(text, os.Args[0]) // which is there
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
	}
	if len(paths) != 7 {
		t.Fatalf("%d units, want 7", len(paths))
	}
	return folder, paths
}

// TestUnits asks systemd what it thinks of the units.
func TestUnits(t *testing.T) {
	folder, paths := writeUnits(t)
	out, err := exec.Command("systemd-analyze", append([]string{"verify"}, paths...)...).CombinedOutput()
	// systemd before 254 ignores these two, and restarts the club every second.
	complaints := regexp.MustCompile(`(?m)^.*Unknown key (?:name )?'(?:RestartSteps|RestartMaxDelaySec)' in section .*, ignoring\.\n`).ReplaceAll(out, nil)
	if err != nil || strings.Contains(string(complaints), folder) {
		t.Errorf("systemd-analyze: %v\n%s", err, complaints)
	}
}

// TestUnitsAreConfined asks systemd how much the services could do: 0 is nothing, 10 is everything, and a service that says
// nothing of it has 9.6.
func TestUnitsAreConfined(t *testing.T) {
	folder, _ := writeUnits(t)
	for _, tt := range []struct{ unit, tenths string }{{"ludoteca.service", "15"}, {"ludoteca-backup.service", "10"}, {"ludoteca-etcd.service", "20"}, {"ludoteca-postgresql.service", "20"}} {
		out, err := exec.Command("systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold="+tt.tenths,
			filepath.Join(folder, tt.unit)).CombinedOutput()
		if strings.Contains(string(out), "unrecognized option") {
			t.Skip("systemd here is older than 250, and looks at running units only")
		}
		if err != nil {
			t.Errorf("%s may do more than %s tenths: %v\n%s", tt.unit, tt.tenths, err, out)
		}
	}
}

// TestContainerfile: it copies what the program is made of and nothing else, and runs it without rights.
func TestContainerfile(t *testing.T) {
	text := deployed(t)["Containerfile"]
	copied := map[string]bool{"ludoteca": true}
	for _, m := range regexp.MustCompile(`(?m)^COPY ([a-z]+) ([a-z]+)$`).FindAllStringSubmatch(text, -1) {
		copied["ludoteca/"+m[1]] = m[1] == m[2]
	}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "ludoteca").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		parts := strings.SplitN(path, "/", 3)
		if parts[0] == "ludoteca" && !copied[strings.Join(parts[:min(2, len(parts))], "/")] {
			t.Errorf("%s is needed and not copied", path)
		}
	}
	for _, want := range []string{"CGO_ENABLED=0 go build", "\nFROM scratch\n", "\nUSER 65532:65532\n", "\nVOLUME /data\n", "LUDOTECA_DATA=/data", "LUDOTECA_LISTEN=:2222",
		"chmod 0700 /rooms/data /rooms/backup\n", "\nCOPY --from=build --chown=65532:65532 /rooms /\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q", want)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(text, -1) {
		if host, _, ok := strings.Cut(m[1], "/"); m[1] != "scratch" && !(ok && strings.Contains(host, ".")) {
			t.Errorf("%s names no registry, and podman asks none by itself", m[1])
		}
	}
	for _, never := range []string{"COPY . ", "ADD ", "data ", "ssh_host"} {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, never) || !strings.HasPrefix(line, "#") && strings.Contains(line, "COPY "+never) {
				t.Errorf("%q copies too much", line)
			}
		}
	}
}

// TestSeveralMachines: the balancer reaches the nodes and they trust it, and the examples configure etcd alike.
func TestSeveralMachines(t *testing.T) {
	texts := deployed(t)
	compose, balancer, member := texts["compose.yaml"], texts["haproxy.cfg"], texts["ludoteca-etcd.yaml"]
	find := func(from, pattern string) string {
		t.Helper()
		m := regexp.MustCompile(pattern).FindStringSubmatch(from)
		if m == nil {
			t.Fatalf("there is no %s", pattern)
		}
		return m[1]
	}
	for _, same := range [][2]string{
		{find(compose, `LUDOTECA_METRICS: 0\.0\.0\.0:(\d+)`), find(balancer, `check port (\d+)`)},
		{find(compose, `ETCD_MAX_TXN_OPS: "(\d+)"`), find(member, `(?m)^max-txn-ops: (\d+)$`)},
		{find(compose, `ETCD_MAX_REQUEST_BYTES: "(\d+)"`), find(member, `(?m)^max-request-bytes: (\d+)$`)},
		{find(compose, `ETCD_QUOTA_BACKEND_BYTES: "(\d+)"`), find(member, `(?m)^quota-backend-bytes: (\d+)$`)},
		{find(compose, `ETCD_AUTO_COMPACTION_RETENTION: (\S+)`), find(member, `(?m)^auto-compaction-retention: (\S+)$`)},
		{find(balancer, `timeout client (\S+)`), find(balancer, `timeout server (\S+)`)},
	} {
		if same[0] != same[1] {
			t.Errorf("%q and %q should be the same", same[0], same[1])
		}
	}
	if port := find(compose, `LUDOTECA_PUBLIC_ADDRESS: localhost:(\d+)`); !strings.Contains(compose, `ports: ["`+port+`:2222"]`) {
		t.Errorf("people are told the port %s, which is not that of the balancer", port)
	}
	if settings := find(texts["OPERATING.md"], `(?s)\n    LUDOTECA_STORE=etcd://(.*?)\n\n`); !strings.Contains(settings, "\n    LUDOTECA_PUBLIC_ADDRESS=") {
		t.Error("people are told the name of a node, not of the balancer")
	}
	if run := find(texts["OPERATING.md"], `(?s)\n    (podman run -d .*?)\n\S`); !strings.Contains(run, "-e LUDOTECA_PUBLIC_ADDRESS=") {
		t.Error("people are told the name of a container")
	}
	if !strings.Contains(balancer, " send-proxy-v2\n") {
		t.Error("the balancer doesn't pass on addresses")
	}
	if strings.Count(balancer, ":2222 tcp-ut 15s\n") != 6 || !strings.Contains(balancer, "option srvtcpka\n") {
		t.Error("the balancer keeps players at a machine that is lost")
	}
	servers := regexp.MustCompile(`(?m)^    server \w+ (\S+):2222 tcp-ut 15s$`).FindAllStringSubmatch(balancer, -1)
	if len(servers) != 6 || !slices.EqualFunc(servers[:3], servers[3:], slices.Equal) {
		t.Errorf("the balancer has the nodes %q in two backends that should be the same", servers)
	}
	for _, server := range servers {
		if !strings.Contains(texts["OPERATING.md"], server[1]) || !strings.Contains(member, "https://"+server[1]+":2380") {
			t.Errorf("only the balancer knows the machine %s", server[1])
		}
	}
	if strings.Contains(compose, "healthcheck:") || !strings.Contains(texts["Containerfile"], `HEALTHCHECK `) {
		t.Error("compose.yaml says how health is checked, for which podman-compose 1.0.3 needs a shell in the image")
	}
	if strings.Contains(compose, "ipv4_address") || strings.Contains(compose, "ipam") {
		t.Error("compose.yaml chooses addresses, which podman-compose 1.0.3 can't")
	}
	if rest := strings.ReplaceAll(compose, "$$", ""); strings.Contains(rest, "$") {
		t.Error("a single $ begins a variable in compose.yaml")
	}
	script, err := strconv.Unquote(find(compose, `command: \["sh", "-c", ("sed .*")\]`))
	if err != nil {
		t.Fatal(err)
	}
	script, _, _ = strings.Cut(strings.ReplaceAll(script, "$$", "$"), " > ")
	out, err := exec.Command("sh", "-c", strings.Replace(script, " /haproxy.cfg", " haproxy.cfg", 1)).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bind :2222\n", "server one club1:2222 ", "server two club2:2222 ", "server three club3:2222 "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("compose gives the balancer no %q:\n%s", want, out)
		}
	}
	for n := range 3 {
		node := find(compose, fmt.Sprintf(`LUDOTECA_NODE: club%d, LUDOTECA_STORE: "etcd://([^"]+)"`, n+1))
		members := strings.Split(node, ",")
		if len(members) != 3 || members[0] != fmt.Sprintf("etcd%d:2379", n+1) {
			t.Errorf("club%d asks %q, the first of which is not the member beside it", n+1, members)
		}
	}
}
