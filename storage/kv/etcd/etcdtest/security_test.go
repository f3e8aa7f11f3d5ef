package etcdtest

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"ludoteca/sshapp/e2e/nodes"
	"ludoteca/storage/kv"
	"ludoteca/storage/kv/etcd"
	"ludoteca/storage/kv/faulttest"
)

// startAlone starts a cluster of one member and returns its address. It ends with the test.
func startAlone(t *testing.T, change func(*embed.Config)) string {
	t.Helper()
	at, err := freeAddresses(2)
	if err != nil {
		t.Fatal(err)
	}
	o := embed.NewConfig()
	o.Name, o.Dir = "alone", t.TempDir()
	o.ListenPeerUrls, o.AdvertisePeerUrls = at[:1], at[:1]
	o.ListenClientUrls, o.AdvertiseClientUrls = at[1:], at[1:]
	o.InitialCluster = o.InitialClusterFromName(o.Name)
	o.UnsafeNoFsync, o.MaxTxnOps = true, etcd.MaxOps
	o.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	change(o)
	m, err := embed.StartEtcd(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	<-m.Server.ReadyNotify()
	return at[1].Host
}

// certificates makes certificates with the script for operators, and returns the folder of a machine at 127.0.0.1.
func certificates(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if out, err := exec.Command(filepath.Join(deploy, "certificates.sh"), folder, "alone=127.0.0.1").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(folder, "alone")
}

// TestTLS: the engine presents its certificate to members, and explains failures in one line.
func TestTLS(t *testing.T) {
	t.Parallel()
	one, two := certificates(t), certificates(t)
	ours, others := func(name string) string { return filepath.Join(one, name) }, func(name string) string { return filepath.Join(two, name) }
	at := startAlone(t, func(o *embed.Config) {
		for _, urls := range [][]url.URL{o.ListenClientUrls, o.AdvertiseClientUrls} {
			urls[0].Scheme = "https"
		}
		o.ClientTLSInfo = transport.TLSInfo{
			CertFile: ours("member.pem"), KeyFile: ours("member.key"), TrustedCAFile: ours("ca.pem"), ClientCertAuth: true,
		}
	})
	right := etcd.Options{
		Endpoints: []string{at}, Namespace: "/tls/", OpenTimeout: 500 * time.Millisecond, TryTimeout: 500 * time.Millisecond,
		CAFile: ours("ca.pem"), CertFile: ours("node.pem"), KeyFile: ours("node.key"),
	}
	for _, tt := range []struct {
		name   string
		change func(*etcd.Options)
		want   string
	}{
		{"no TLS", func(o *etcd.Options) { o.CAFile, o.CertFile, o.KeyFile = "", "", "" }, "it speaks TLS"},
		{"another authority", func(o *etcd.Options) { o.CAFile = others("ca.pem") }, "certificate signed by unknown authority"},
		{"no certificate", func(o *etcd.Options) { o.CertFile, o.KeyFile = "", "" }, "certificate required"},
		{"a certificate of others", func(o *etcd.Options) { o.CertFile, o.KeyFile = others("node.pem"), others("node.key") }, "tls: "},
		{"a member without TLS", func(o *etcd.Options) { o.Endpoints = shared.endpoints()[:1] }, "it does not speak TLS"},
	} {
		o := right
		tt.change(&o)
		if s, err := etcd.Open(t.Context(), o); err == nil {
			s.Close()
			t.Errorf("%s: it opens", tt.name)
		} else if !errors.Is(err, etcd.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want words with %q", tt.name, err, tt.want)
		}
	}
	s := openAt(t, right)
	defer s.Close()
	if _, err := faulttest.Add(t.Context(), s, faulttest.Key("n")); err != nil {
		t.Error(err)
	}
	nodes.MustFail(t, "certificate required", "recompute", "--data", filepath.Join(t.TempDir(), "none"), "--store", "etcd://"+at, "--store-ca", right.CAFile)
	nodes.MustRun(t, "recompute", "--data", filepath.Join(t.TempDir(), "none"), "--store", "etcd://"+at, "--store-ca", right.CAFile,
		"--store-cert", right.CertFile, "--store-key", right.KeyFile)
}

// TestPassword: a user with rights on the club's keys can open the store and use it, also after the token has expired.
func TestPassword(t *testing.T) {
	t.Parallel()
	at := startAlone(t, func(o *embed.Config) { o.AuthTokenTTL = 1 }) // s
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{at}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := t.Context()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.RoleAdd(ctx, "clubs"))
	must(c.RoleGrantPermission(ctx, "clubs", "/ludoteca/", clientv3.GetPrefixRangeEnd("/ludoteca/"), clientv3.PermissionType(clientv3.PermReadWrite)))
	for _, user := range []string{"root", "club", "stranger"} {
		must(c.UserAdd(ctx, user, "secret of "+user))
	}
	must(c.UserGrantRole(ctx, "root", "root"))
	must(c.UserGrantRole(ctx, "club", "clubs"))
	must(c.AuthEnable(ctx))
	right := etcd.Options{Endpoints: []string{at}, Namespace: "/ludoteca/raw/", Username: "club", Password: "secret of club"}
	for _, tt := range []struct {
		name   string
		change func(*etcd.Options)
		want   string
	}{
		{"no user", func(o *etcd.Options) { o.Username, o.Password = "", "" }, "it wants a user and a password"},
		{"a wrong password", func(o *etcd.Options) { o.Password = "secret" }, `the user "club", or the password is wrong`},
		{"nobody", func(o *etcd.Options) { o.Username = "nobody" }, `the user "nobody"`},
		{"a user without rights", func(o *etcd.Options) { o.Username, o.Password = "stranger", "secret of stranger" }, `the user "stranger" may not read and write the keys that begin with /ludoteca/raw/`},
		{"other keys", func(o *etcd.Options) { o.Namespace = "/other/" }, "may not"},
	} {
		o := right
		tt.change(&o)
		began := time.Now()
		if s, err := etcd.Open(t.Context(), o); err == nil {
			s.Close()
			t.Errorf("%s: it opens", tt.name)
		} else if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") || time.Since(began) > 4*time.Second {
			t.Errorf("%s: %q after %v, want words with %q", tt.name, err, time.Since(began), tt.want)
		}
	}
	s := openAt(t, right)
	defer s.Close()
	watching, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	seen := make(chan kv.Change, 10)
	since := faulttest.Revision(t, s)
	go func() {
		defer close(seen)
		for change, err := range s.Watch(watching, faulttest.Key("n"), since) {
			if err != nil {
				return
			}
			seen <- change
		}
	}()
	for n := range 3 {
		if _, err := faulttest.Add(t.Context(), s, faulttest.Key("n")); err != nil {
			t.Errorf("after %d tokens: %v", n, err)
		}
		if _, ok := <-seen; !ok {
			t.Fatalf("after %d tokens the watch has ended", n)
		}
		faulttest.Wait(1500 * time.Millisecond) // until the token has expired
	}

	// A new password ends all tokens, that with which a watch has begun too. Another watch beside it gets one of its own.
	root, err := clientv3.New(clientv3.Config{Endpoints: []string{at}, Username: "root", Password: "secret of root", Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	must(root.UserChangePassword(ctx, "club", "secret of club"))
	short, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	for _, err := range s.Watch(short, faulttest.Key("n"), since) {
		if err != nil {
			t.Errorf("a watch that began after the tokens had ended: %v", err)
		}
		break
	}

	// A member that accepts and says nothing does not hold up the pings of the others.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	beside := right
	beside.Endpoints = []string{at, silent.Addr().String()}
	beside.OpenTimeout, beside.TryTimeout, beside.PingEvery = 2*time.Second, 100*time.Millisecond, 10*time.Millisecond
	b := openAt(t, beside)
	defer b.Close()
	began, last := time.Now(), b.Health().At
	for n := 0; n < 3; faulttest.Wait(time.Millisecond) {
		if now := b.Health().At; now.After(last) {
			last = now
			n++
		}
	}
	if took := time.Since(began); took > 2*beside.OpenTimeout {
		t.Errorf("three rounds of pings took %v", took)
	}
	recompute := nodes.Command(t, "recompute", "--data", filepath.Join(t.TempDir(), "none"), "--store", "etcd://"+at, "--store-user", "club")
	recompute.Env = append(recompute.Env, "LUDOTECA_STORE_PASSWORD=secret of club")
	if out, err := recompute.CombinedOutput(); err != nil {
		t.Errorf("recompute: %v, %s", err, out)
	}
}
