package rating

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// ulps returns the distance of two numbers of the same sign in units in the last place.
func ulps(a, b float64) int64 {
	d := int64(math.Float64bits(a)) - int64(math.Float64bits(b))
	return max(d, -d)
}

// TestExpAndLog compares with the true values, to 200 bits: package math is itself off by more than one unit at times.
func TestExpAndLog(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		x := (random.Float64() - 0.5) * 100
		if off := relative(exactExp(x), exp(x)) / unit(exp(x)); off > 1 {
			t.Errorf("exp(%v) is off by %v units", x, off)
		}
		y := exp((random.Float64() - 0.5) * 80)
		if l := log(y); relative(exactExp(l), y) > math.Abs(l)*unit(l) {
			t.Errorf("log(%v) = %v is off by more than a unit", y, l)
		}
		near := 1 + (random.Float64()-0.5)/100
		if l := log(near); relative(exactExp(l), near) > math.Abs(l)*unit(l) {
			t.Errorf("log(%v) = %v is off by more than a unit", near, l)
		}
	}
}

// exactExp returns e to the power of x as the sum of its series.
func exactExp(x float64) *big.Float {
	const bits = 200
	sum, term := big.NewFloat(1).SetPrec(bits), big.NewFloat(1).SetPrec(bits)
	for n := 1; n < 200; n++ {
		term.Mul(term, new(big.Float).SetPrec(bits).SetFloat64(math.Abs(x)))
		term.Quo(term, new(big.Float).SetPrec(bits).SetInt64(int64(n)))
		sum.Add(sum, term)
	}
	if x < 0 {
		return new(big.Float).SetPrec(bits).Quo(big.NewFloat(1), sum)
	}
	return sum
}

// relative returns the distance of got from want, as a fraction of want.
func relative(want *big.Float, got float64) float64 {
	d := new(big.Float).SetPrec(200).SetFloat64(got)
	d.Sub(d, want)
	d.Quo(d, want)
	off, _ := d.Float64()
	return math.Abs(off)
}

// unit returns the unit in the last place of x, as a fraction of x.
func unit(x float64) float64 {
	x = math.Abs(x)
	return (math.Nextafter(x, math.Inf(1)) - x) / x
}

func TestExactValues(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"exp(0)", exp(0), 1},
		{"log(1)", log(1), 0},
		{"log(2)", log(2), math.Ln2},
		{"log(1024)", log(1024), 10 * math.Ln2},
		{"exp(1)", exp(1), math.E},
		{"exp(-700)", exp(-700), math.Exp(-700)},
		{"exp(700)", exp(700), math.Exp(700)},
	} {
		if ulps(tt.got, tt.want) > 2 {
			t.Errorf("%s = %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

// TestExpAndLogBits compares with bits that were computed once, so that it fails on a processor that computes others.
func TestExpAndLogBits(t *testing.T) {
	for _, tt := range []struct {
		x        float64
		exp, log uint64
	}{
		{0.0036, 0x3ff00ec5ad314d83, 0xc01681dd7a559a2a}, {0.7, 0x40001c2a61268987, 0xbfd6d3c324e13f50}, {1.2345678901234567, 0x400b7ec1cd28eada, 0x3fcaf8e80db673f4}, {3.5, 0x40408ec721396bdb, 0x3ff40b512eb53d60}, {49.999, 0x44718c853af3d59c, 0x400f4bc83b4a7800},
	} {
		if e, l := math.Float64bits(exp(tt.x)), math.Float64bits(log(tt.x)); e != tt.exp || l != tt.log {
			t.Errorf("exp and log of %v are %#x and %#x, want %#x and %#x", tt.x, e, l, tt.exp, tt.log)
		}
	}
}
