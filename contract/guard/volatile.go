package guard

import "github.com/toolcontract/toolcontract/risk"

// Volatile returns the names of managed tools from high up whose records live
// in this process's memory alone, sorted. Where more than one process serves
// them, or a client outlives the process, as over HTTP, they can run twice; see
// [WithStore].
func (s *Toolset) Volatile() []string {
	if !s.guard.ledger.store.IsLocal() {
		return nil
	}
	var names []string
	for _, e := range s.entries {
		if isManaged(e) && e.doc.Risk.AtLeast(risk.High) {
			names = append(names, e.doc.Name)
		}
	}
	return names
}
