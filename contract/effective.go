package contract

// Effective returns a copy of d in which every clause has the value that
// applies. Clauses that d leaves out are filled in, such as the risk and the
// confirmation that follow from the effect, the default sizes and the default
// retention. A clause whose value this version does not know counts as left
// out.
//
// Use it to compare or list contracts by meaning. Documents that Build makes
// declare most clauses; those of other servers may not.
// [Document.NeedsPrincipal] and [Document.Hints] take d as written.
func (d Document) Effective() Document {
	d = d.Clone()
	for _, c := range clauses {
		if c.effective != nil {
			c.effective(&d)
		}
	}
	return d
}
