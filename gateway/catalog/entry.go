package catalog

import (
	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// An Entry is one tool of a catalogue. Its texts come from the server, without
// characters that hide or reorder text, and cut to a bounded length.
//
// An Entry is a plain value. A [Catalog] returns copies that callers must not
// change.
type Entry struct {
	// Name is the name in the gateway, unique in the catalogue. It is the name
	// at the server, with the server's name as a prefix if another tool has
	// that name. A name never passes to another tool, even after its tool is
	// gone.
	Name string `json:"name"`
	// Server is the name of the [Source].
	Server string `json:"server"`
	// Tool is the name of the tool at its server.
	Tool string `json:"tool"`
	// Status says whether the tool may be served.
	Status Status `json:"status"`
	// Problems are the reasons for a quarantine and whatever else an operator
	// should know about the tool, such as a text that was cut.
	Problems []Problem `json:"problems,omitempty"`
	// Facts has every fact with its origin, always in the same order.
	Facts []Fact `json:"facts"`
	// Declared is the contract that the server declares. Clauses that it leaves
	// out are guessed; Facts names the origin of each. It has the title, the
	// description and the schemas of the tool.
	Declared contract.Document `json:"declared"`
	// Effective is the contract that counts: Declared with the overrides, and
	// with stricter facts of earlier cycles. The risk of a vetoed tool is
	// forbidden.
	Effective contract.Document `json:"effective"`
	// Definition is the tool as the server lists it, under Name, with cleaned
	// texts. Its Meta is nil.
	Definition adapter.Definition `json:"-"`
	// Digest is the SHA-256 of the definition as the server listed it.
	Digest string `json:"digest"`
}

// Fact returns the fact with the name, or the zero value for an unknown name.
func (e Entry) Fact(name string) Fact {
	for _, f := range e.Facts {
		if f.Name == name {
			return f
		}
	}
	return Fact{}
}

// A Status says whether a gateway may serve a tool. Only [Served] tools can be
// listed and called.
type Status string

// The statuses.
const (
	// Served tools can be listed and called.
	Served Status = "served"
	// Quarantined tools are not served until the operator decides. The entry's
	// problems give the reason.
	Quarantined Status = "quarantined"
	// Vetoed tools are forbidden by the operator.
	Vetoed Status = "vetoed"
)

// A Problem is one thing that is wrong with a server or a tool. It contains
// none of the server's values.
type Problem struct {
	// Rule is a stable identifier, such as "list.pages".
	Rule string `json:"rule"`
	// Where is the name of a fact, or a JSON Pointer into the server's list or
	// the operator's file. Empty: the whole tool or server.
	Where string `json:"where,omitempty"`
	// Message says what is wrong.
	Message string `json:"message"`
	// Remedy tells the operator what to do. It may be empty.
	Remedy string `json:"remedy,omitempty"`
	// Err is the cause, for the operator's logs. It can contain text from the
	// server. Nil: there is none.
	Err error `json:"-"`
}
