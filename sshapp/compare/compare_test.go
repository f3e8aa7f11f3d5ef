//go:build linux

package compare

import (
	"os"
	"strconv"
	"testing"

	"ludoteca/sshapp/loadtest"
)

// stock is the front that serves the club's screens with Wish's own bubbletea middleware.
const stock = "stock"

func TestMain(m *testing.M) { loadtest.Main(m, map[string]loadtest.Front{stock: serveStock}) }

// TestCompare measures all fronts in turn, as many rounds as LUDOTECA_COMPARE says, and holds the club to its limits. Without the
// variable it only sees that everything can be measured.
func TestCompare(t *testing.T) {
	loadtest.Compare(t, effort(), loadtest.Ours, stock, loadtest.Bare)
}

// TestCompareLineMode measures sessions of the line mode beside screens, and wants them to cost no more, as TestCompare does.
func TestCompareLineMode(t *testing.T) { loadtest.CompareLineMode(t, effort()) }

// TestCompareLounge measures sessions that have the lounge open beside others in the lobby, and holds them to the limits of TestCompare.
func TestCompareLounge(t *testing.T) { loadtest.CompareLounge(t, effort()) }

// effort returns what LUDOTECA_COMPARE asks for.
func effort() loadtest.Effort {
	rounds, err := strconv.Atoi(os.Getenv("LUDOTECA_COMPARE"))
	if err != nil {
		return loadtest.Quick
	}
	e := loadtest.Full
	e.Rounds = rounds
	return e
}

// TestRude wants each fault in the table to harm the stock middleware: so each of them is one.
func TestRude(t *testing.T) {
	if os.Getenv("LUDOTECA_STOCK") == "" {
		t.Skip("set LUDOTECA_STOCK to treat the stock middleware badly")
	}
	loadtest.Rude(t, stock, true)
}
