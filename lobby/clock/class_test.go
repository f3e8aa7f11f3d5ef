package clock

import "testing"

func TestClass(t *testing.T) {
	for _, tt := range []struct {
		clock string
		want  Class
	}{
		{"none", NoClass}, {"1+0", Bullet}, {"1+2", Bullet}, {"1+3", Blitz}, {"3+0", Blitz}, {"3+2", Blitz}, {"5+3", Blitz}, {"5+5", Rapid}, {"8+0", Rapid},
		{"10+5", Rapid}, {"15+10", Rapid}, {"15+15", Classical}, {"25+0", Classical}, {"30+20", Classical}, {"180+180", Classical}, {"1d", Days}, {"14d", Days},
	} {
		s, err := Parse(tt.clock)
		if got := s.Class(); err != nil || got != tt.want {
			t.Errorf("%s is %q, %v, want %q", tt.clock, got, err, tt.want)
		}
	}
	for _, c := range Classes {
		if got, ok := ParseClass(string(c)); got != c || !ok || c.Usual().Class() != c {
			t.Errorf("%s is read as %s, %v, and its usual clock is %s", c, got, ok, c.Usual())
		}
	}
	for _, name := range []string{"", "none", "Blitz", "5+3", "slow"} {
		if c, ok := ParseClass(name); ok {
			t.Errorf("%q is the class %s", name, c)
		}
	}
	if NoClass.Usual() != (Setting{}) {
		t.Errorf("without a class the clock is %s", NoClass.Usual())
	}
}
