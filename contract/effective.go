package contract

// Effective returns a copy of d in which every clause has the value that
// applies. Clauses that d leaves out are filled in: the risk and the
// confirmation that follow from the effect, the default sizes, the default
// retention, and so on. A clause with a value that this version does not know
// counts as left out.
//
// Use it to compare or list contracts by their meaning. Documents that Build
// makes declare most clauses; documents of other servers may not.
// [Document.NeedsPrincipal] and [Document.Hints] take d as it is written.
func (d Document) Effective() Document {
	d = d.Clone()
	for _, c := range clauses {
		if c.effective != nil {
			c.effective(&d)
		}
	}
	return d
}
