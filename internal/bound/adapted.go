package bound

// Adapted is what adapters add to a builder besides the clauses of its
// contract, which have verbs. A builder embeds it. It has no exported methods,
// because they would become methods of the builder.
type Adapted struct {
	mistakes    []Mistake
	arguments   argumentRules
	handler     handlerRules
	written     *Written // nil: the tool is not wrapped
	onlyClauses bool     // Build stops before the schemas
}

func (a *Adapted) adapted() *Adapted { return a }

// An Adaptable embeds [Adapted].
type Adaptable interface{ adapted() *Adapted }

// OnlyClauses sets whether Build stops before the schemas. The tool that it
// then returns has a document without them, and cannot be called.
func OnlyClauses(b Adaptable, only bool) { b.adapted().onlyClauses = only }

// HasOnlyClauses returns what OnlyClauses has set.
func HasOnlyClauses(b Adaptable) bool { return b.adapted().onlyClauses }
