package tanks

import "ludoteca/games"

// maxSize is the largest number of columns and of rows.
const maxSize = 26

// A cell is an index of State.board. A row has 32 of them on boards of every size, so that at least two walls stand beside
// every row; a row of walls lies below the board and one above. No move goes further out.
type cell uint

const (
	stride     = 32
	boardCells = 1 << cellBits // more than 28 rows need: an index cut to these bits is always inside
	cellBits   = 10
)

func at(col, row int) cell { return cell((row+1)*stride + col + 2) }

func (c cell) col() int { return int(c%stride) - 2 }
func (c cell) row() int { return int(c/stride) - 1 }

// A content is what stands on a cell: the upper two bits are its class, the others the number of a tank in its army.
type content uint8

// A wall has the class bits of both sides, so it is neither free nor an enemy of either side.
const (
	empty content = 0
	wall  content = 3 << 6
)

func tankOf(side games.Side) content { return content(side%2+1) << 6 }

func (c content) class() content { return c >> 6 }
func (c content) number() int    { return int(c % maxTanks) }

// A Kind is one of the three kinds of tank.
type Kind uint8

// The kinds, those with a gun that reaches two cells first.
const (
	Heavy Kind = iota
	Destroyer
	Medium
)

// String returns "heavy", "destroyer" or "medium".
func (k Kind) String() string { return [...]string{"heavy", "destroyer", "medium"}[k%3] }

// A tank is its kind and the cell where it stands.
type tank uint16

func (t tank) kind() Kind { return Kind(t >> cellBits) }
func (t tank) cell() cell { return cell(t % (1 << cellBits)) }

// to returns the tank on another cell.
func (t tank) to(c cell) tank { return t>>cellBits<<cellBits | tank(c) }

// maxTanks is how many tanks of a side fit on a board that is set up. In a game it has 52 at most.
const maxTanks = 64
