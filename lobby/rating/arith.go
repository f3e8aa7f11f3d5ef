package rating

import "math"

// exp and log are ported from FreeBSD's libm (e_exp.c and e_log.c, Copyright 2004 and 1993 by Sun Microsystems; permission
// to use, copy, modify, and distribute is freely granted), as in the portable part of Go's package math, with every
// product rounded. Their error is below one unit in the last place.

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// exp returns e to the power of x, for x from -700 to 700.
//
// It writes x as k ln 2 + r with r up to half of ln 2 in size, and e^r as 1 + 2r/(R-r), where R = r(e^r+1)/(e^r-1) is
// a polynomial in r squared.
func exp(x float64) float64 {
	const (
		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	hi, lo := x-float64(k*ln2Hi), float64(k*ln2Lo)
	r := hi - lo
	t := float64(r * r)
	c := r - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
	return math.Ldexp(1-((lo-float64(r*c)/(2-c))-hi), int(k))
}

// log returns the natural logarithm of x, which is positive and neither infinite nor denormal.
//
// It writes x as 2^k (1+f) with 1+f from half the square root of 2 to the square root of 2, and log(1+f), with
// s = f/(2+f), as f - s(f-R(s)), where R is a polynomial in s squared.
func log(x float64) float64 {
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	f1, ki := math.Frexp(x)
	if f1 < math.Sqrt2/2 {
		f1 *= 2
		ki--
	}
	f, k := f1-1, float64(ki)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := float64(s2 * (l1 + float64(s4*(l3+float64(s4*(l5+float64(s4*l7)))))))
	t2 := float64(s4 * (l2 + float64(s4*(l4+float64(s4*l6)))))
	half := float64(0.5 * float64(f*f))
	return float64(k*ln2Hi) - ((half - (float64(s*(half+t1+t2)) + float64(k*ln2Lo))) - f)
}
