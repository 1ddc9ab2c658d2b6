package catalog

import (
	"context"

	"github.com/toolcontract/toolcontract/agent/client"
)

// A Source is one server whose tools a catalogue reads.
type Source struct {
	// Name identifies the server in the operator's file, in the state and in
	// prefixes: 1 to 32 lower-case letters, digits and hyphens, and a letter
	// first. Required, and unique in a catalogue.
	Name string
	// Lister lists the tools, such as an [client.Client]. Required.
	Lister Lister
	// Prefix puts the server's name before the names of all its tools. False:
	// only before a name that another tool already has.
	Prefix bool
	// Own means that the operator writes and deploys the server, so a changed
	// definition is served at once. False: a tool is quarantined if its definition
	// differs from the one first seen, or accepted since, until the new digest is
	// accepted; see [Catalog.Accept].
	Own bool
}

// A Lister lists the tools of a server. Implementations must bound the list and
// return when the context ends. Calls to one lister do not overlap.
type Lister interface {
	// ListTools returns all tools, or an error if they could not all be listed.
	ListTools(ctx context.Context) (client.Listing, error)
}
