// Package contract declares what callers must know about a tool before they
// call it. You declare it once, next to the handler.
//
// A [Builder] collects the clauses of a tool (effect, risk, trust, permissions,
// failures and more) next to the function that does the work. Build checks all
// clauses, derives the JSON Schemas from the function's types, and returns a
// [Tool]. The tool's [Document] is the contract as data, which tools/list
// publishes under [MetaKeyContract]. A guard (package guard) enforces the
// contract on every call. A Tool can't be called without one.
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
// # Begin here
//
// A contract needs a name, a description, a version, an effect, and permissions
// from medium risk up. Then declare what applies:
//
//	Trust                    whether a model can trust the text of a result
//	SideEffects              what changes, and whether it can be undone
//	Failures                 errors that callers may see
//	Idempotency              what a repeated call does
//	Reconcile                how a repeated call finds out what a lost one did
//	DryRun, ConfirmAlways    a preview, or a person, before the call
//	Precheck                 why a call would fail, before a person is asked
//	Authorize                whose objects a caller may touch
//	RateLimit, Timeout       how often and how long
//
// Serve the tools with package mcpgo or gosdk, and test them with package
// contracttest. The manual, in the repository's docs folder, explains each
// clause with an example. The rest of this comment is the reference.
//
// # Layers
//
// A clause can be declared in three layers. For each clause, the first layer in
// this list that declares it wins:
//
//  1. the verbs, which are the methods of the [Builder];
//  2. the tags of the input type;
//  3. the Bases given to From, in the order of the calls.
//
// A list (permissions, side effects, failures, aliases, metadata) grows within
// one layer and replaces the list of the layer below. Permissions and
// NoPermissions are one clause. So are all the keys of idempotency, all those
// of a step-up, and all those of a deprecation. The dry run is the only clause
// that merges its layers: if a tag declares it required, it stays required when
// the verb DryRun sets its function.
//
// The tags are on the blank marker fields [Tags], [SideEffectTag] and
// [FailureTag]. These must be direct fields of the input type; anywhere else
// they are a mistake. Tags and verbs that declare the same data give the same
// bytes.
//
// # Mistakes
//
// Build reports all mistakes at once, each as a [DeclarationError] with the
// rule, the tool, the clause and the remedy. [DeclarationErrors] lists them.
// [BuildRules] lists the rules of clauses and tags.
//
// Rules about types and schemas begin with "schema.". They report, for example,
// a misspelt jsonschema keyword, a keyword that does not apply to the type of
// its field, a pattern that is not RE2, and a reference to another document.
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
// # Changes over time
//
// Package contract/compat compares a server's contracts with an earlier
// snapshot, and reports how far each version must be raised.
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
//     Likewise, the code and the class of a handler's error cannot contradict
//     the declaration.
//   - Errors of this package never hold a caller's values.
//   - A [Tool], a [Failure], an [Error], and a [Document] that is not modified
//     are safe for concurrent use. A Builder and a Base are not.
//
// # Deviations and limits
//
//   - The Model Context Protocol allows names without a domain and with empty
//     parts. This package does not.
//   - Without $schema, a schema is JSON Schema 2020-12, as the protocol says.
//     Regular expressions are RE2.
//   - Arguments have at most 64 levels and 100,000 values, names of at most 1
//     KiB, and numbers of at most 64 characters. The same holds for results,
//     except that only [Document.MaxResultBytes] bounds the number of values.
//   - In a field of type any, and in metadata, a JSON integer decodes as int64,
//     or as uint64 if it only fits that. Other numbers decode as float64. A
//     json.RawMessage in the input holds the argument in RFC 8785 form, with
//     exact integers.
//   - [Document.UnmarshalJSON] preserves unknown members of the document, but
//     not those inside a clause.
//   - A failure's text and hint reach callers, without the values of sensitive
//     and secret arguments. The text of an error given to Wrap does not reach
//     them. "Secrets in texts" in docs/failures.md lists the forms in which a
//     value is found, and says what applies to values of fewer than four bytes.
//
// # Field tags
//
// A field's contract tag is a list of words, separated by commas without
// spaces:
//
//	word             where            meaning
//	sensitive        input, output    never in error texts, audit events, logs or plaintext stores; shown to the person who confirms
//	secret           input            only its length is shown, to anyone
//	review           input            never cut in a question: a call whose review fields do not fit is refused
//	idempotency-key  direct, input    the one field that identifies a managed call
//	expose           output           returned by a restricted tool, and published in its schema
//
// The derived schema publishes sensitive, secret and review fields as
// "x-sensitive", "x-secret" and "x-review" with the value true. So removing a
// word changes the contract, and is a downgrade. A schema that replaces the
// derived one must have these members itself. Raw arguments and maps have no
// fields to tag, so Build refuses these members in their schemas.
//
// A sensitive or secret field covers everything below it. Nested structs of a
// restricted tool need tags of their own.
//
// Build refuses a word on the wrong side (input or output), on an embedded
// struct, and on a field that is not in the JSON. It also refuses a word inside
// a type with its own JSON or schema: tag the field of that type instead.
//
// # Schemas of Go types
//
// Build derives the schemas of a tool from its types. This section is the
// reference for the types, the jsonschema tag and the formats. Objects in the
// derived schema are closed: names match exactly, and unknown members are
// refused.
//
//	Go type                      JSON
//	bool, string                 a boolean, a string
//	int…, uint…, float…          a number in the range of the type
//	[]byte                       a string in base64
//	time.Time                    a string with the format date-time
//	contract.Duration            a string such as "PT1H30M"
//	time.Duration                an integer of nanoseconds
//	slice, array                 an array
//	map                          an object; its keys are strings, integers or texts
//	struct                       an object; a member is required without omitempty and omitzero
//	*T                           T; null only with nullable
//	any, json.RawMessage         any value
//	sql.Null[T], sql.NullString… T or null; not the object that encoding/json writes
//	big.Int                      an integer; JSON has no more than 64 bits here
//	decimal.Decimal (shopspring) a string of digits, such as "12.50"
//	uuid.UUID (google)           a string with the format uuid
//	civil.Date (Google Cloud)    a string with the format date
//	a TextUnmarshaler in, a      a string, such as netip.Addr, netip.Prefix;
//	TextMarshaler out            the format is that of the field's tag
//	a struct with [OneOf]        an object with exactly one member
//
// A type with MarshalJSON or UnmarshalJSON describes itself with a method
// JSONSchema() *jsonschema.Schema, from github.com/invopop/jsonschema. For a
// type that is not yours, give the schema with [Builder.TypeSchemas]. If
// UnmarshalText or UnmarshalJSON refuses a text, the call is invalid_input at
// the field's pointer, without the value or the error's text.
//
// The jsonschema tag is a list of keyword=value, separated by commas without
// spaces. Inside a value, write \\, for a comma, as in
// `jsonschema:"pattern=^[a-z]{1\\,3}$"`. Its keywords are:
//
//	keyword                                                      applies to
//	title description                                            every field
//	readOnly writeOnly                                           every field, true or false
//	required                                                     an input field with omitempty; no value
//	nullable                                                     a pointer, which then accepts and returns null; no value
//	default example enum                                         strings, numbers, booleans (enum: not booleans), a Duration
//	minLength maxLength pattern format                           strings
//	minimum maximum                                              numbers, a Duration
//	exclusiveMinimum exclusiveMaximum multipleOf                 numbers
//	minItems maxItems uniqueItems                                arrays
//
// Repeat enum and example once for each value, as in
// `jsonschema:"enum=red,enum=blue"`. On an array, keywords of strings and
// numbers apply to its items, except default, which is repeated once for each
// item. The tag jsonschema_description is a description that may contain
// commas. The tag jsonschema_extras is a list of x-…=value, which is published
// unchanged. Build refuses everything else, and a keyword that does not apply.
//
// The tag of a [Duration] takes Go durations, as in
// `jsonschema:"minimum=1s,maximum=1h30m,default=90s"`. JSON Schema cannot bound
// such strings, so the schema has the bounds in its description, and as
// "x-minimum" and "x-maximum". Calls, results and diffs are checked against
// these two. In a handwritten schema they also bound strings, next to the
// format duration. Two spellings of one duration, such as "PT1M" and "PT60S",
// are different arguments, as with every other format.
//
// A pattern is an RE2 regular expression (https://golang.org/s/re2syntax). The
// formats are:
//
//	date date-time duration time
//	email hostname ipv4 ipv6
//	uri uri-reference uri-template iri iri-reference
//	json-pointer relative-json-pointer regex semver uuid
//	int8 int16 int32 int64 uint8 uint16 uint32 uint64
package contract
