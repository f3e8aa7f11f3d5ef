package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/version"
	"ludoteca/sshapp/worker"
)

// newWorker is the command that lends the cores of this machine to a club.
func newWorker(p process) *cobra.Command {
	cores, home := runtime.GOMAXPROCS(0), homeFolder(p)
	identity, known := filepath.Join(home, ".ssh", "id_ed25519"), ""
	cmd := &cobra.Command{
		Use:   "worker ssh://[USER@]HOST[:PORT]",
		Short: "Think for the computer players of a club, with the cores of this machine",
		Long: `Think for the computer players and analyses of a club, with the cores of this machine, until SIGTERM, SIGINT or SIGHUP.

The club must name the key of this machine: ludoteca serve --worker FINGERPRINT, as ssh-keygen -l prints it. That key can do nothing else there.
The host must be in known_hosts, as for ssh; connect once with ssh to add it. Both programs must find the same moves, so run the same version.

When the connection ends, the club thinks itself and this program connects again. It prints a line when it is connected.`,
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := worker.ParsePlace(args[0])
			switch {
			case err != nil:
				return usageError{err}
			case cores < 1 || cores > worker.MaxCores:
				return usageError{fmt.Errorf("--cores must be from 1 to %d", worker.MaxCores)}
			}
			agent, _ := p.env("SSH_AUTH_SOCK")
			key, err := worker.Identity(identity, agent)
			if err != nil {
				return err
			}
			files := []string{filepath.Join(home, ".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts"}
			if known != "" {
				files = []string{known}
			}
			tell := func(words string) { fmt.Fprintln(p.stdout, words) }
			tell("key: " + gossh.FingerprintSHA256(key.PublicKey()))
			dialer := worker.Dialer{Place: place, Key: key, KnownHosts: files}
			return dialer.Lend(cmd.Context(), worker.NewMachine(p.games, cores, version.Number), tell)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&cores, "cores", cores, "`N` searches at a time")
	flags.StringVar(&identity, "identity", identity, "`FILE` with the private key, or with the public key of one in ssh-agent")
	flags.StringVar(&known, "known-hosts", known, "`FILE` with the keys of hosts; without it ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts")
	return cmd
}

// homeFolder returns the home folder of the user, which is "" if it isn't known.
func homeFolder(p process) string {
	if home, ok := p.env("HOME"); ok {
		return home
	}
	home, _ := os.UserHomeDir()
	return home
}
