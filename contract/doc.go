// Package contract declares tools: what a caller must know before it calls, said once beside the handler.
//
// A [Builder] collects a tool's clauses (effect, risk, trust, permissions, failures, and more) beside the function
// that does the work. Build checks them all, derives the JSON Schemas of the function's types, and makes a [Tool].
// The tool's [Document] is the contract as data: what tools/list publishes under [MetaKeyContract]. A guard, of
// package guard, keeps it on every call; a Tool cannot be called without one.
//
//	type AddIn struct {
//		A float64 `json:"a"`
//		B float64 `json:"b"`
//	}
//	type AddOut struct {
//		Sum float64 `json:"sum"`
//	}
//
//	func add(_ context.Context, in AddIn) (AddOut, error) { return AddOut{in.A + in.B}, nil }
//
//	var Add = contract.New("calc.add", add).
//		Description("Adds two numbers.").Version("1.0.0").
//		Effect(risk.ReadOnly).Trust(trust.Trusted).
//		MustBuild()
//
// # Layers
//
// A clause can be said in three places, and the upper one wins, clause by clause:
//
//	contract = verbs of the Builder over tags of the input type over the Bases given to From, the first over the second
//
// A list (permissions, side effects, failures, aliases, metadata) grows within one layer and replaces the one below.
// Permissions and NoPermissions are one clause, so are all keys of idempotency, of a step-up and of a deprecation.
// One thing is joined: a dry run that a tag calls required stays so when DryRun gives the function.
//
// Tags are those of blank marker fields, [Tags], [SideEffectTag] and [FailureTag]. Builders read them from direct fields
// of the input type; anywhere else they are a mistake. Data can be declared by tags or by verbs and gives the same bytes.
//
// # Field tags
//
// The contract tag of a field is a list of words, separated by commas without blanks:
//
//	word             where            meaning
//	sensitive        input, output    never in audit events, logs or plaintext stores; shown to the person who confirms
//	secret           input            shown nowhere, only its length
//	review           input            never cut in a question: a call whose review fields do not fit is refused
//	idempotency-key  direct, input    the one field that identifies a managed call
//	expose           output           what a restricted tool returns, and publishes in its schema
//
// What is sensitive, secret or for review is published in the derived schema, as "x-sensitive", "x-secret" or "x-review"
// with the value true, so that taking a word away is a change of the contract, and a downgrade. A schema that replaces the
// derived one says it where its author writes it.
// What is sensitive or secret is so with everything below it. A restricted tool's nested structs need tags of their
// own. A word on the other side, on an embedded struct, on a field that is no member of the JSON, or within a type that
// gives its own JSON or schema is a mistake; of such a type, the field that holds it says it all.
// The json and jsonschema tags mean what they mean to encoding/json and to a JSON Schema reflector, read strictly.
//
// # What follows by itself
//
//	from              follows
//	effect            the risk: read-only low, low-risk-write medium, high-risk-write high, all others critical;
//	                  a declared risk may be higher, and lower only for low-risk-write
//	a critical risk   the effect, where none is declared: destructive
//	risk              confirmation: low and medium never, from high up always; high may say otherwise; a restricted
//	                  tool is asked about as its effect demands
//	security level    from 8 up confirmation always, unless a step-up is declared
//	confirmation      autonomous: where it is never
//	all of it         the four hints of the Model Context Protocol, see [Document.Hints]
//	the clauses       the failures with which the guard may answer, after the author's own in [Document.FailureModes]
//
// # Mistakes
//
// Build reports every mistake at once, each a [DeclarationError] with the rule, the tool, the clause and the remedy;
// [DeclarationErrors] takes the error apart. [Rules] lists the rules of clauses and tags. Mistakes in types and schemas
// have rules that begin with "schema.": a misspelt jsonschema keyword, a keyword that says nothing of its field's type,
// a pattern that is not RE2, a default that refuses the call which leaves it out, a reference out of the schema.
//
// # Changes over time
//
// Package contract/compat compares the contracts of a server with those that
// were checked in before, and tells by how much each version has to be raised.
// [Document.Effective] returns a contract with its undeclared clauses filled in.
//
// # Guarantees
//
//   - Build never panics, whatever the types, the tags and the author's marshalers do. MustBuild panics with its error.
//   - The same declarations give the same bytes, the same digest and the same errors in the same order.
//   - Nothing is loaded: neither Build nor a call reads the network or a file to know a schema.
//   - What is not declared counts as the worst: an effect as destructive, a trust as prompt-injection-prone, a side
//     effect as external and irreversible.
//   - Hints cannot contradict the contract, for they are derived from it. The code and the class of a handler's error
//     cannot disagree with the declaration, for they are taken from there.
//   - Errors of this package hold nothing of a caller's values.
//   - A [Tool], a [Failure], an [Error] and a [Document] that is not being changed are safe for concurrent use. A
//     Builder and a Base are not.
//
// # Deviations and limits
//
//   - A name has, beyond what the Model Context Protocol asks, a domain and no empty part.
//   - Without $schema, schemas are JSON Schema 2020-12, as that protocol reads them. Regular expressions are RE2.
//   - Arguments nest at most 64 deep and hold at most 100,000 values, names of at most 1 KiB, and numbers of at most 64
//     characters. So does a result, whose values are limited by its size alone: [Document.MaxResultBytes].
//   - JSON integers reach an any of the input, and metadata, as int64, or uint64 where only that holds them, and other
//     numbers as float64. A json.RawMessage of the input is the argument's RFC 8785 form, with exact integers.
//   - [Document.UnmarshalJSON] keeps unknown members of the document itself, not those within a clause.
//   - A failure's text and hint reach callers as the author wrote them; what is said with Wrap does not.
package contract
