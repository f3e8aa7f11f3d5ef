package club

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"ludoteca/lobby/notices"
	"ludoteca/sshapp"
	"ludoteca/sshapp/flagset"
	outgoing "ludoteca/sshapp/notices"
	"ludoteca/sshapp/notices/mail"
	"ludoteca/sshapp/notices/ntfy"
	"ludoteca/sshapp/text"
)

// An Outgoing says by which servers notices leave the club. Passwords are no flags, because every user of the machine can read those.
type Outgoing struct {
	SMTP         string // "": there is no mail
	PasswordFile string
	Ntfy         string // "": there is no ntfy
	TokenFile    string

	mail  mail.Config
	url   *url.URL // of Ntfy
	token string
}

// The environment variables with what the servers ask for.
const (
	SMTPPasswordVariable = "LUDOTECA_SMTP_PASSWORD"
	NtfyTokenVariable    = "LUDOTECA_NTFY_TOKEN"
)

const outgoingGroup = "Notices outside the terminal"

func (o *Outgoing) addFlags(to *pflag.FlagSet) {
	flagset.Add(to, outgoingGroup, func(f *pflag.FlagSet) {
		f.StringVar(&o.SMTP, "smtp", o.SMTP, "`URL` of a mail server for notices to players who ask for them, such as smtp://user@mail.example.com:587?from=club@example.com, or smtps://...; its password is taken from "+SMTPPasswordVariable+"; no mail when empty")
		f.StringVar(&o.PasswordFile, "smtp-password-file", o.PasswordFile, "`FILE` whose first line is the password for --smtp")
		f.StringVar(&o.Ntfy, "ntfy", o.Ntfy, "`URL` of your ntfy server, for notices to topics that players choose; a token is taken from "+NtfyTokenVariable+"; none when empty")
		f.StringVar(&o.TokenFile, "ntfy-token-file", o.TokenFile, "`FILE` whose first line is an access token for --ntfy")
	})
}

// check parses the flags and reads the password and the token. The error says which flag is wrong, and why.
func (o *Outgoing) check(env sshapp.Environment) (err error) {
	switch {
	case o.SMTP == "" && o.PasswordFile != "":
		return errors.New("--smtp-password-file needs --smtp")
	case o.Ntfy == "" && o.TokenFile != "":
		return errors.New("--ntfy-token-file needs --ntfy")
	}
	if o.SMTP != "" {
		if o.mail, err = mail.ParseURL(o.SMTP); err != nil {
			return fmt.Errorf("--smtp: %w", err)
		}
		if o.mail.Password, err = secret(env, SMTPPasswordVariable, o.PasswordFile); err != nil {
			return fmt.Errorf("--smtp-password-file: %w", err)
		}
		if o.mail.User != "" && o.mail.Password == "" {
			return fmt.Errorf("--smtp names a user, who needs a password: in %s, or in the file that --smtp-password-file names", SMTPPasswordVariable)
		}
	}
	if o.Ntfy != "" {
		if o.url, err = ntfy.ParseURL(o.Ntfy); err != nil {
			return fmt.Errorf("--ntfy: %w", err)
		}
		if o.token, err = secret(env, NtfyTokenVariable, o.TokenFile); err != nil {
			return fmt.Errorf("--ntfy-token-file: %w", err)
		}
	}
	return nil
}

const maxSecret = 4 << 10 // bytes of a file with a password

// secret returns the first line of a file, or without a file the value of an environment variable.
func secret(env sshapp.Environment, variable, file string) (string, error) {
	if file == "" {
		value, _ := env(variable)
		return value, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}

// sender returns what sends notices, nil if the club sends none. club is its name, and address how people reach it.
func (o *Outgoing) sender(club string, address text.Address) notices.Sender {
	if o.SMTP == "" && o.Ntfy == "" {
		return nil
	}
	s := &outgoing.Sender{Club: club, Address: address}
	if o.SMTP != "" {
		c := o.mail
		c.Name = club
		s.Mail = mail.New(c)
	}
	if o.Ntfy != "" {
		s.Ntfy = ntfy.New(ntfy.Config{URL: o.url, Token: o.token})
	}
	return s
}
