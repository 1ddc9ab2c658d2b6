package contract

import (
	"slices"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/risk"
)

const declaredLenient declaration[[]Leniency] = "lenient"

const (
	ruleLenientUnknown = "lenient.unknown"
	ruleLenientRisk    = "lenient.risk"
)

func lenientClause() clause {
	return clause{
		members: []string{"lenient"},
		keys:    tagKeys{"lenient": enumsValue(declaredLenient)},
		base:    func(b *Base, l *layer) { listFromBase(l, declaredLenient, b.Lenient) },
		check:   checkLenient,
		rules: []BuildRule{
			{ID: ruleLenientUnknown, Summary: "A leniency is one of the forms."},
			{ID: ruleLenientRisk, Summary: "A tool from high risk up reads its arguments strictly, apart from members that a host adds."},
		},
	}
}

// Lenient accepts arguments in forms other than the one the input schema
// demands, for clients and models that send them. Default: none.
//
// Arguments are converted to what the schema demands before they are validated.
// The handler, the question to a person, the call's key and the audit log see
// only the converted arguments, so a call in another form counts as the same
// call. [Outcome.Readings] lists what was converted. The published schema stays
// as it is; the contract lists the forms.
//
// A value's schema must be known without guessing: below an anyOf or a oneOf
// nothing is read leniently, except below an anyOf with null. The members of a
// dry run are always read strictly. From high risk up, Build refuses every form
// but [HostMember], because nobody should guess what the caller meant.
func (b *Builder[In, Out]) Lenient(forms ...Leniency) *Builder[In, Out] {
	add(declaredLenient, &b.verbs, forms)
	return b
}

func checkLenient(c *checker) {
	forms := slices.Clone(declaredLenient.of(&c.layer))
	if slices.ContainsFunc(forms, func(form Leniency) bool { return !leniencies.IsValid(form) }) {
		c.bad(ruleLenientUnknown, "lenient", "the leniency is unknown", "use a constant such as contract.NullAsAbsent")
		return
	}
	guesses := func(form Leniency) bool { return form != HostMember }
	if c.doc.Risk.IsValid() && c.doc.Risk.AtLeast(risk.High) && slices.ContainsFunc(forms, guesses) {
		if !declaredLenient.isIn(&c.written) && !declaredLenient.isIn(&c.tags) { // a Base is shared by many tools
			c.doc.Lenient = slices.Compact(slices.DeleteFunc(forms, guesses))
			return
		}
		c.bad(ruleLenientRisk, "lenient", "a tool from high risk up reads arguments in other forms than its schema demands",
			c.advice(string(declaredLenient), "keep only HostMember, or declare the others only for tools below high",
				"keep only host-member in the key lenient"))
		return
	}
	slices.Sort(forms)
	c.doc.Lenient = slices.Compact(forms)
}

// lenientReader returns the reader of a tool's arguments, nil if it accepts
// only the strict form.
func lenientReader(d Document, input *schema.Schema) *schema.LenientReader {
	if len(d.Lenient) == 0 {
		return nil
	}
	forms := make([]schema.Form, len(d.Lenient))
	for i, form := range d.Lenient {
		forms[i] = schema.Form(form)
	}
	var names []string
	for _, control := range controls(d.DryRun) {
		names = append(names, control.Name)
	}
	return schema.NewLenientReader(input.Document(), forms, names...)
}

// A Reading is one argument that was read in another form, as the contract
// allows.
type Reading struct {
	// Pointer is an RFC 6901 JSON Pointer into the arguments as they were sent.
	Pointer string `json:"pointer"`
	// As is the form in which the argument was sent.
	As Leniency `json:"as"`
}
