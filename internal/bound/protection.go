package bound

// A Protection hides the members of arguments and results that a pointer leads
// to. It stands for the tag of a field, which raw JSON does not have.
type Protection struct {
	// Pointer is a JSON Pointer, in which * stands for each item of an array
	// and each member of a map.
	Pointer string
	// Secret means that not even the person who confirms the call sees the
	// value.
	Secret bool
}

// Protect adds a protection to a contract whose input is raw JSON.
func Protect(b Reporter, p Protection) {
	b.mistakes().protections = append(b.mistakes().protections, p)
}

// Protections returns what Protect has added.
func Protections(b Reporter) []Protection { return b.mistakes().protections }
