package widget

// DrawTabs draws some names in one line with the chosen one marked. A narrow window shows only the chosen one.
func DrawTabs(p *Page, t *Theme, names []string, chosen int) {
	p.To(MenuColumn)
	if p.Width < BothColumns {
		p.Put(t.Dim, t.Left).To(p.At+1).Put(t.Accent, names[chosen]).To(p.At+1).Put(t.Dim, t.Right).End()
		return
	}
	for i, name := range names {
		if i != chosen {
			p.Put(t.Dim, name).To(p.At + 3)
			continue
		}
		p.At-- // the marks take two of the three spaces between names; some terminals show no style
		p.Put(t.Dim, t.Left).Put(t.Accent, name).Put(t.Dim, t.Right).To(p.At + 2)
	}
	p.End()
}
