package client

import "encoding/json"

// A Listing is the tools of a server.
type Listing struct {
	// Tools are the tools as the server wrote them, in its order.
	Tools []json.RawMessage
	// Version is the version of the protocol, such as "2026-07-28".
	Version string
	// Name is the name that the server gives itself. It is unchecked text of
	// the server. Empty: it gives none.
	Name string
}
