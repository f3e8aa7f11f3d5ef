package files

import (
	"fmt"

	"ludoteca/sshapp/records"
)

// Readme returns the text of README.txt for a club whose signatures have a principal.
func Readme(principal string) []byte {
	return fmt.Appendf(nil, `The records of this club, as files. They can be read, and nothing else.

/matches/ID.txt            the record of a finished match: public and rated ones,
                           and the private ones that you have played
/matches/ID.txt.sig        its signature by the club
/players/NAME/ID.txt       the same files, by player
/games/GAME/YYYY-MM.txt    all rated matches of a game that ended in a month (UTC),
                           one record after the other, an empty line between
/allowed_signers           the keys whose signatures are the club's

A record can be checked with nothing but OpenSSH:

    sftp HOST:/matches/ID.txt* . && sftp HOST:/allowed_signers .
    ssh-keygen -Y verify -f allowed_signers -I %s \
        -n %s -s ID.txt.sig < ID.txt

The file of a month stays as it is while you have it open. A signature is of the
record as it is: after ratings were worked out anew, fetch both again.
`, principal, records.Namespace)
}
