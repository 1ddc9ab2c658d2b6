package contract

import "github.com/toolcontract/toolcontract/internal/enum"

// A Confirmation declares when a person is asked before a tool runs. The zero
// value is undeclared: the level decides. Low and medium tools run without a
// question, all others ask.
type Confirmation uint8

const (
	// ConfirmationNever tools run without a question. A tool at high declares
	// it with a published reason; a critical one cannot.
	ConfirmationNever Confirmation = iota + 1
	// ConfirmationUpstream tools were written for an SDK and are wrapped, and
	// their own server asks. The guard neither asks nor knows whether a person
	// was asked, so a critical tool cannot declare it.
	ConfirmationUpstream
	// ConfirmationWhen tools decide by their arguments.
	ConfirmationWhen
	// ConfirmationAlways tools never run without a question.
	ConfirmationAlways
)

var confirmations = enum.Of[Confirmation]("contract", "confirmation", "", "never", "upstream", "when", "always")

// String returns the wire text of c, "undeclared" for the zero value.
func (c Confirmation) String() string { return confirmations.String(c) }

// MarshalText returns the wire text of c; undeclared is an error.
func (c Confirmation) MarshalText() ([]byte, error) { return confirmations.Marshal(c) }

// UnmarshalText sets c from its wire text. Any other text is an error and
// leaves c unchanged.
func (c *Confirmation) UnmarshalText(text []byte) error { return confirmations.Unmarshal(c, text) }

// A Leniency is a form in which arguments may be sent, other than the one that
// the input schema demands. A value is read in another form only if its schema
// refuses it, so no value that a strict reading accepts ever changes. The one
// exception is [HostMember], which also drops a member that an open schema
// accepts. No contract has the zero value.
type Leniency uint8

const (
	// NullAsAbsent reads null as absent if the schema declares the member, does
	// not require it, and does not accept null.
	NullAsAbsent Leniency = iota + 1
	// TextAsNumber reads the text of a JSON number, such as "5", as the number.
	TextAsNumber
	// TextAsBoolean reads the texts "true" and "false" as booleans.
	TextAsBoolean
	// SingleAsList reads a single value as a list of one. It refuses a text that
	// could mean several items or none: one that is empty or null, begins like
	// JSON, or has a comma, a semicolon or a line break.
	SingleAsList
	// TextAsJSON reads the JSON text of a list or an object as that list or
	// object.
	TextAsJSON
	// EmptyAsAbsent reads an empty text as absent if the member is optional, and
	// is a number, a list, a time or an enum that refuses it.
	EmptyAsAbsent
	// HostMember drops the members toolCallId (added by n8n), sessionId, action
	// and chatInput if all three are there (added by n8n in a chat), and
	// random_string (added by Cursor to tools without arguments), unless the
	// schema names them. The handler, the call's key and the audit log never
	// have them. It is the only form allowed from high risk up, because it
	// guesses nothing.
	HostMember
)

var leniencies = enum.Of[Leniency]("contract", "leniency", "", "null-as-absent", "text-as-number", "text-as-boolean",
	"single-as-list", "text-as-json", "empty-as-absent", "host-member")

// String returns the wire text of l, "undeclared" for the zero value.
func (l Leniency) String() string { return leniencies.String(l) }

// MarshalText returns the wire text of l; the zero value is an error.
func (l Leniency) MarshalText() ([]byte, error) { return leniencies.Marshal(l) }

// UnmarshalText sets l from its wire text. Any other text is an error and
// leaves l unchanged.
func (l *Leniency) UnmarshalText(text []byte) error { return leniencies.Unmarshal(l, text) }

// A DataKind is a kind of data that the results of a tool may contain. No
// contract has the zero value.
type DataKind uint8

const (
	// PublicData is data that everybody may read. It declares that results have
	// no private data, so it excludes PrivateData.
	PublicData DataKind = iota + 1
	// PrivateData is data that only some may read, such as mails and records of
	// customers.
	PrivateData
	// UntrustedData is text that strangers can write, such as web pages, mails
	// and tickets. It may contain instructions to a model.
	UntrustedData
)

var dataKinds = enum.Of[DataKind]("contract", "kind of data", "", "public", "private", "untrusted")

// String returns the wire text of k, "undeclared" for the zero value.
func (k DataKind) String() string { return dataKinds.String(k) }

// MarshalText returns the wire text of k; the zero value is an error.
func (k DataKind) MarshalText() ([]byte, error) { return dataKinds.Marshal(k) }

// UnmarshalText sets k from its wire text. Any other text is an error and
// leaves k unchanged.
func (k *DataKind) UnmarshalText(text []byte) error { return dataKinds.Unmarshal(k, text) }

// A Reach declares whether a side effect leaves the system. The zero value
// is undeclared and counts as [External].
type Reach uint8

const (
	// Internal effects stay within the system that serves the tool.
	Internal Reach = iota + 1
	// External effects reach people or systems outside it.
	External
)

var reaches = enum.Of[Reach]("contract", "reach", "", "internal", "external")

// Effective returns the reach that counts: r if it is declared, else External.
func (r Reach) Effective() Reach {
	if reaches.IsValid(r) {
		return r
	}
	return External
}

// String returns the wire text of r, "undeclared" for the zero value.
func (r Reach) String() string { return reaches.String(r) }

// MarshalText returns the wire text of r; undeclared is an error.
func (r Reach) MarshalText() ([]byte, error) { return reaches.Marshal(r) }

// UnmarshalText sets r from its wire text. Any other text is an error and
// leaves r unchanged.
func (r *Reach) UnmarshalText(text []byte) error { return reaches.Unmarshal(r, text) }

// An Undo declares whether a side effect can be undone. The zero value is
// undeclared and counts as [Irreversible].
type Undo uint8

const (
	// Reversible effects can be undone.
	Reversible Undo = iota + 1
	// Irreversible effects cannot.
	Irreversible
)

var undos = enum.Of[Undo]("contract", "undo", "", "reversible", "irreversible")

// Effective returns the value that counts: u if it is declared, else
// Irreversible.
func (u Undo) Effective() Undo {
	if undos.IsValid(u) {
		return u
	}
	return Irreversible
}

// String returns the wire text of u, "undeclared" for the zero value.
func (u Undo) String() string { return undos.String(u) }

// MarshalText returns the wire text of u; undeclared is an error.
func (u Undo) MarshalText() ([]byte, error) { return undos.Marshal(u) }

// UnmarshalText sets u from its wire text. Any other text is an error and
// leaves u unchanged.
func (u *Undo) UnmarshalText(text []byte) error { return undos.Unmarshal(u, text) }

// A By names the source of a failure. The zero value is undeclared.
type By uint8

const (
	// ByTool failures are returned by the handler.
	ByTool By = iota + 1
	// ByGuard failures are returned by the guard.
	ByGuard
)

var bys = enum.Of[By]("contract", "by", "", "tool", "guard")

// String returns the wire text of b, "undeclared" for the zero value.
func (b By) String() string { return bys.String(b) }

// MarshalText returns the wire text of b; undeclared is an error.
func (b By) MarshalText() ([]byte, error) { return bys.Marshal(b) }

// UnmarshalText sets b from its wire text. Any other text is an error and
// leaves b unchanged.
func (b *By) UnmarshalText(text []byte) error { return bys.Unmarshal(b, text) }

// A Class declares whether a caller may try again after a failure. Agent loops
// make the same distinction between a retryable and a fatal tool error.
// The zero value is undeclared. It is treated as [ClassFatal], and no failure
// can be declared with it.
type Class uint8

const (
	// ClassRetryable failures can be corrected by the model, or retried after a
	// stated delay.
	ClassRetryable Class = iota + 1
	// ClassFatal failures cannot be helped by a retry: the run should stop.
	ClassFatal
)

var classes = enum.Of[Class]("contract", "class", "", "retryable", "fatal")

// String returns the wire text of c, "undeclared" for the zero value.
func (c Class) String() string { return classes.String(c) }

// GoString returns the type and the text of c, for failures of tests.
func (c Class) GoString() string { return classes.GoString(c) }

// MarshalText returns the wire text of c. An undeclared or unknown class is an
// error, because a document leaves an undeclared clause out.
func (c Class) MarshalText() ([]byte, error) { return classes.Marshal(c) }

// UnmarshalText sets c from its wire text. Any other text is an error and
// leaves c unchanged.
func (c *Class) UnmarshalText(text []byte) error { return classes.Unmarshal(c, text) }
