package flagset

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// A Size is the value of a flag: a number of bytes, such as 256MiB.
type Size int64

var _ pflag.Value = new(Size)

// sizeUnits are the units of a Size, the largest first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// String implements pflag.Value.
func (b *Size) String() string {
	for _, u := range sizeUnits {
		if n := int64(*b); n != 0 && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Set implements pflag.Value. A unit may be written with its first letter alone, and in any letter case.
func (b *Size) Set(text string) error {
	number, unit := strings.ToLower(text), int64(1)
	for _, u := range sizeUnits {
		name := strings.ToLower(u.name)
		rest, long := strings.CutSuffix(number, name)
		if !long {
			rest, long = strings.CutSuffix(number, name[:1])
		}
		if long {
			number, unit = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit/2 {
		return fmt.Errorf("%q is no size such as 256MiB", text)
	}
	*b = Size(n * unit)
	return nil
}

// Type implements pflag.Value.
func (b *Size) Type() string { return "size" }

// Bytes returns a number of bytes in words, in the unit that fits it: 1.5 MiB.
func Bytes(n int64) string {
	for _, u := range sizeUnits {
		if n >= u.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.bytes), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
