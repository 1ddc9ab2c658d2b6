package bound

// A Mistake is a mistake that an adapter found in another declaration, such as
// one from which it starts a contract.
type Mistake struct {
	Rule, Where, Message, Remedy string
}

// Report makes Build report m too.
func Report(b Adaptable, m Mistake) { b.adapted().mistakes = append(b.adapted().mistakes, m) }

// Mistakes returns the mistakes that were reported to b.
func Mistakes(b Adaptable) []Mistake { return b.adapted().mistakes }
