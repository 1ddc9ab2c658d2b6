package oldschema

// References returns a function that follows the references of a document, a JSON value, as [Compile] does: to "#", to
// "#/pointer" and to "#anchor". It returns the keywords of the schema that a reference leads to, and nil where it leads
// to none or to true or false. It is safe for concurrent use as long as the document does not change.
func References(document any) func(ref string) any {
	g := newGraph(document)
	return func(ref string) any {
		if to := g.resolve(ref); to != nil && to.doc != nil {
			return to.doc
		}
		return nil
	}
}
