package bound

// A Mistake is one that an adapter found in another declaration, from which it
// starts a contract.
type Mistake struct {
	Rule, Where, Message, Remedy string
}

// Mistakes holds the mistakes that adapters report, their checks of arguments,
// what their handlers may do, and the function behind a handler. A builder
// embeds it. It has no exported methods, so that they do not become methods of
// the builder.
type Mistakes struct {
	list   []Mistake
	checks []Check
	rounds int // how often the handler may ask for an input

	protections []Protection

	written  *Written // nil: the tool is not wrapped
	unfilled bool     // the handler gets arguments without the defaults of the schema

	onlyClauses bool // Build stops before the schemas

	// handler is the code of the function behind the handler. 0: it is the
	// handler itself.
	handler uintptr
}

func (m *Mistakes) mistakes() *Mistakes { return m }

// A Reporter embeds [Mistakes].
type Reporter interface{ mistakes() *Mistakes }

// OnlyClauses makes Build stop before the schemas, or not. The tool that it
// then returns has a document without them, and cannot be called.
func OnlyClauses(b Reporter, only bool) { b.mistakes().onlyClauses = only }

// HasOnlyClauses returns what OnlyClauses has set.
func HasOnlyClauses(b Reporter) bool { return b.mistakes().onlyClauses }

// Report makes Build report m too.
func Report(b Reporter, m Mistake) { b.mistakes().list = append(b.mistakes().list, m) }

// Reported returns the mistakes that were reported to b.
func Reported(b Reporter) []Mistake { return b.mistakes().list }
