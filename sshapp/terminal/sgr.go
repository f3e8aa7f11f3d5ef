package terminal

import "strconv"

// apply changes the style by the parameters of an SGR sequence, which is what stands between "\x1b[" and "m".
// Parameters it doesn't know change nothing.
func (s *style) apply(params []byte, p *palette) {
	if len(params) == 0 {
		*s = style{}
		return
	}
	for len(params) > 0 {
		var group []byte
		group, params = field(params, ';')
		code, sub := field(group, ':')
		n := number(code)
		switch {
		case n == 38 || n == 48 || n == 58:
			var c colour
			if len(sub) > 0 {
				c = colonColour(sub)
			} else {
				c, params = semicolonColour(params)
			}
			if n == 38 {
				s.fg = p.convert(c)
			} else if n == 48 {
				s.bg = p.convert(c)
			}
		case n == 4 && string(sub) == "0":
			s.attrs &^= underline
		default:
			s.code(n, p)
		}
	}
	s.attrs &= p.attrs
}

// code applies one SGR parameter that stands alone.
func (s *style) code(n int, p *palette) {
	switch {
	case n <= 0:
		*s = style{}
	case n <= 5: // bold, faint, italic, underline, blink
		s.attrs |= 1 << (n - 1)
	case n == 6:
		s.attrs |= blink
	case n <= 9: // reverse, conceal, strike
		s.attrs |= 1 << (n - 2)
	case n == 21: // double underline
		s.attrs |= underline
	case n == 22:
		s.attrs &^= bold | faint
	case n == 23, n == 24, n == 25: // not italic, not underlined, not blinking
		s.attrs &^= 1 << (n - 21)
	case n == 27, n == 28, n == 29: // not reverse, not concealed, not struck
		s.attrs &^= 1 << (n - 22)
	case 30 <= n && n <= 37:
		s.fg = p.convert(paletteColour | colour(n-30))
	case n == 39:
		s.fg = 0
	case 40 <= n && n <= 47:
		s.bg = p.convert(paletteColour | colour(n-40))
	case n == 49:
		s.bg = 0
	case 90 <= n && n <= 97:
		s.fg = p.convert(paletteColour | colour(n-90+8))
	case 100 <= n && n <= 107:
		s.bg = p.convert(paletteColour | colour(n-100+8))
	}
}

// semicolonColour reads 5;N or 2;R;G;B from the front of params and returns what is left.
func semicolonColour(params []byte) (colour, []byte) {
	var kind, a, b, c []byte
	kind, params = field(params, ';')
	a, params = field(params, ';')
	if string(kind) != "2" {
		return indexed(kind, a), params
	}
	b, params = field(params, ';')
	c, params = field(params, ';')
	return rgb(number(a), number(b), number(c)), params
}

// colonColour reads 5:N, 2:R:G:B or 2:SPACE:R:G:B.
func colonColour(sub []byte) colour {
	var parts [5][]byte
	n := 0
	for ; n < len(parts) && len(sub) > 0; n++ {
		parts[n], sub = field(sub, ':')
	}
	switch {
	case string(parts[0]) != "2":
		return indexed(parts[0], parts[1])
	case n == len(parts):
		return rgb(number(parts[2]), number(parts[3]), number(parts[4]))
	default:
		return rgb(number(parts[1]), number(parts[2]), number(parts[3]))
	}
}

func indexed(kind, n []byte) colour {
	if string(kind) != "5" {
		return 0
	}
	return paletteColour | colour(number(n)&0xff)
}

func rgb(r, g, b int) colour {
	return rgbColour | colour(r&0xff)<<16 | colour(g&0xff)<<8 | colour(b&0xff)
}

// field cuts s at the first separator. Unlike bytes.Cut it costs nothing when it is called for every cell's style.
func field(s []byte, sep byte) (head, tail []byte) {
	for i, b := range s {
		if b == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, nil
}

// number reads a decimal number, 0 for an empty string and -1 for anything that no parameter can be.
func number(s []byte) int {
	if len(s) > 4 {
		return -1
	}
	n := 0
	for _, b := range s {
		if b < '0' || b > '9' {
			return -1
		}
		n = n*10 + int(b-'0')
	}
	return n
}

// appendSGR adds the sequence that changes the terminal's pen from one style to another.
func appendSGR(buf []byte, from, to style) []byte {
	if from == to {
		return buf
	}
	buf = append(buf, "\x1b["...)
	if to == (style{}) {
		return append(buf, 'm')
	}
	if from.attrs&^to.attrs != 0 { // taking attributes away one by one is longer
		buf = append(buf, "0;"...)
		from = style{}
	}
	for bit, added := 0, to.attrs&^from.attrs; added != 0; bit, added = bit+1, added>>1 {
		if added&1 != 0 {
			buf = append(buf, "12345789"[bit], ';')
		}
	}
	if from.fg != to.fg {
		buf = appendColour(buf, to.fg, 30)
	}
	if from.bg != to.bg {
		buf = appendColour(buf, to.bg, 40)
	}
	buf[len(buf)-1] = 'm'
	return buf
}

// appendColour adds the parameters for a colour and a semicolon. base is 30 for the text, 40 for what is behind it.
func appendColour(buf []byte, c colour, base int64) []byte {
	value := int64(c &^ colourKind)
	switch {
	case c == 0:
		buf = strconv.AppendInt(buf, base+9, 10)
	case c&colourKind == rgbColour:
		buf = strconv.AppendInt(buf, base+8, 10)
		buf = append(buf, ";2;"...)
		buf = strconv.AppendInt(buf, value>>16, 10)
		buf = append(buf, ';')
		buf = strconv.AppendInt(buf, value>>8&0xff, 10)
		buf = append(buf, ';')
		buf = strconv.AppendInt(buf, value&0xff, 10)
	case value < 8:
		buf = strconv.AppendInt(buf, base+value, 10)
	case value < 16:
		buf = strconv.AppendInt(buf, base+60+value-8, 10)
	default:
		buf = strconv.AppendInt(buf, base+8, 10)
		buf = append(buf, ";5;"...)
		buf = strconv.AppendInt(buf, value, 10)
	}
	return append(buf, ';')
}
