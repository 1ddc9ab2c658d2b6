package catalog

// A Problem is one thing that is wrong with a server or a tool. It holds no
// value of the server.
type Problem struct {
	// Rule is a stable identifier, such as "list.pages".
	Rule string `json:"rule"`
	// Where is the name of a fact, or a JSON Pointer into the list of the
	// server or into the operator's file. Empty: the whole tool or server.
	Where string `json:"where,omitempty"`
	// Message is what is wrong, in words.
	Message string `json:"message"`
	// Remedy is the advice for the operator. It may be empty.
	Remedy string `json:"remedy,omitempty"`
	// Err is the cause, for logs of the operator. It can have text of the
	// server. Nil: there is none.
	Err error `json:"-"`
}
