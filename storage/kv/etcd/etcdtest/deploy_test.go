package etcdtest

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/etcd/server/v3/embed"

	"ludoteca/storage/kv/etcd"
)

const deploy = "../../../../deploy"

// TestExamples: etcd accepts the example configurations for operators, and their limits suffice for the engine.
func TestExamples(t *testing.T) {
	o, err := embed.ConfigFromFile(filepath.Join(deploy, "ludoteca-etcd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if o.MaxTxnOps < etcd.MaxOps || o.MaxRequestBytes < 8<<20 || o.QuotaBackendBytes < 2<<30 || !o.ClientTLSInfo.ClientCertAuth ||
		!o.PeerTLSInfo.ClientCertAuth || o.AutoCompactionMode != "periodic" || o.AutoCompactionRetention == "" || len(strings.Split(o.InitialCluster, ",")) != 3 {
		t.Errorf("the example is read as %+v", o)
	}
	compose, err := os.ReadFile(filepath.Join(deploy, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	flags := flag.NewFlagSet("etcd", flag.ContinueOnError)
	embed.NewConfig().AddFlags(flags)
	variables := regexp.MustCompile(`\bETCD_([A-Z_]+):`).FindAllStringSubmatch(string(compose), -1)
	for _, v := range variables {
		name := strings.ToLower(strings.ReplaceAll(v[1], "_", "-"))
		if slices.Contains([]string{"name", "data-dir", "listen-peer-urls", "listen-client-urls", "advertise-client-urls", "initial-advertise-peer-urls", "initial-cluster-state"}, name) {
			continue // declared by etcd's command, not by AddFlags
		}
		if flags.Lookup(name) == nil {
			t.Errorf("etcd has no --%s", name)
		}
	}
	if len(variables) < 10 {
		t.Errorf("only %d settings of etcd are found", len(variables))
	}
}
