// Package contract declares tools: everything that a caller must know before it
// calls a tool, declared once beside the handler.
//
// A [Builder] collects the clauses of a tool (effect, risk, trust, permissions,
// failures and more) beside the function that does the work. Build checks all
// clauses, derives the JSON Schemas of the function's types, and makes a
// [Tool]. The tool's [Document] is the contract as data, which tools/list
// publishes under [MetaKeyContract]. A guard, of package guard, enforces it on
// every call, and a Tool can only be called through a guard.
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
// A clause can be declared in three layers. For each clause the first layer of
// this list wins:
//
//  1. the verbs, which are the methods of the [Builder];
//  2. the tags of the input type;
//  3. the Bases given to From, in the order of the calls.
//
// A list (permissions, side effects, failures, aliases, metadata) grows within
// one layer and replaces the list of the layer below. Permissions and
// NoPermissions are one clause. So are all keys of idempotency, of a step-up,
// and of a deprecation. The dry run is the only clause that joins its layers:
// if a tag declares it as required, it stays required when the verb DryRun sets
// its function.
//
// Tags are those of the blank marker fields [Tags], [SideEffectTag] and
// [FailureTag]. They must be direct fields of the input type; anywhere else
// they are a mistake. Tags and verbs that declare the same data give the same
// bytes.
//
// # Field tags
//
// The contract tag of a field is a list of words, separated by commas without
// blanks:
//
//	word             where            meaning
//	sensitive        input, output    never in audit events, logs or plaintext stores; shown to the person who confirms
//	secret           input            only its length is shown, to anyone
//	review           input            never cut in a question: a call whose review fields do not fit is refused
//	idempotency-key  direct, input    the one field that identifies a managed call
//	expose           output           returned by a restricted tool, and published in its schema
//
// The derived schema publishes sensitive, secret and review fields as
// "x-sensitive", "x-secret" and "x-review" with the value true. So the removal
// of a word is a change of the contract, and a downgrade. A schema that
// replaces the derived one must have these members itself. Raw arguments and
// maps have no fields to tag, so Build refuses their schemas with these
// members.
//
// A sensitive or secret field covers everything below it. The nested structs of
// a restricted tool need tags of their own.
//
// Build refuses a word on the other side (input or output), on an embedded
// struct, and on a field that is not a member of the JSON. It also refuses a
// word inside a type with its own JSON or schema: tag the field that holds the
// type.
//
// The json and jsonschema tags have the meaning of encoding/json and of a JSON
// Schema reflector, but are read strictly.
//
// # Derived clauses
//
//	from              derived
//	effect            the risk: read-only low, low-risk-write medium, high-risk-write high, all others critical;
//	                  a declared risk may be higher, and lower only for low-risk-write
//	a critical risk   the effect, if none is declared: destructive
//	risk              confirmation: low and medium never, from high up always; only high may declare otherwise; a
//	                  restricted tool is confirmed as its effect demands
//	security level    from 8 up confirmation always, unless a step-up is declared
//	confirmation      autonomous: if it is never
//	all of these      the four hints of the Model Context Protocol, see [Document.Hints]
//	the clauses       the failures of the guard, after those of the tool in [Document.FailureModes]
//
// # Mistakes
//
// Build reports every mistake at once, each as a [DeclarationError] with the
// rule, the tool, the clause and the remedy. [DeclarationErrors] returns them
// as a list. [Rules] lists the rules of clauses and tags.
//
// Mistakes in types and schemas have rules that begin with "schema.". Examples
// are a misspelt jsonschema keyword, a keyword that does not apply to the type
// of its field, a pattern that is not RE2, and a reference to another document.
//
// # Changes over time
//
// Package contract/compat compares the contracts of a server with an earlier
// snapshot, and reports by how much each version must be raised.
// [Document.Effective] returns a contract with its undeclared clauses filled
// in.
//
// # Guarantees
//
//   - Build never panics, even if a marshaler or another method of the tool
//     author's types does. MustBuild panics with the error of Build.
//   - Equal declarations give equal bytes, equal digests, and equal errors in
//     the same order.
//   - Neither Build nor a call reads the network or a file to load a schema.
//   - An undeclared clause counts as the worst case: an effect as destructive,
//     a trust as prompt-injection-prone, a side effect as external and
//     irreversible.
//   - Hints cannot contradict the contract, because they are derived from it.
//     For the same reason, the code and the class of a handler's error cannot
//     contradict the declaration.
//   - Errors of this package never hold a caller's values.
//   - A [Tool], a [Failure], an [Error], and a [Document] that is not modified
//     are safe for concurrent use. A Builder and a Base are not.
//
// # Deviations and limits
//
//   - The Model Context Protocol allows names without a domain and with empty
//     parts. This package does not.
//   - Without $schema, a schema is JSON Schema 2020-12, as in that protocol.
//     Regular expressions are RE2.
//   - Arguments have at most 64 levels and 100,000 values, names of at most 1
//     KiB, and numbers of at most 64 characters. The same holds for results,
//     except that only [Document.MaxResultBytes] bounds the number of values.
//   - In a field of type any, and in metadata, a JSON integer decodes as int64,
//     or as uint64 if it fits only into that. Other numbers decode as float64.
//     A json.RawMessage of the input holds the argument in the form of RFC
//     8785, with exact integers.
//   - [Document.UnmarshalJSON] preserves unknown members of the document, but
//     not those within a clause.
//   - A failure's text and hint reach callers as written. The text of an error
//     given to Wrap does not.
package contract
