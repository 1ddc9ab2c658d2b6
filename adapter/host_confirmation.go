package adapter

import (
	"maps"

	"github.com/toolcontract/toolcontract/contract"
)

// hostConfirmationKeys are the keys in a listed tool's _meta that make hosts
// ask their user before each call. The first is Claude Code's, the other
// Cursor's.
var hostConfirmationKeys = []string{"anthropic/requiresUserInteraction", "cursor/requiresConfirmation"}

// hostsConfirm writes the keys into the entries of a tool whose contract always
// asks a person to confirm.
func hostsConfirm(doc contract.Document, entries []*Entry) {
	if doc.Confirmation != contract.ConfirmationAlways {
		return
	}
	for _, e := range entries {
		meta := maps.Clone(e.listed.Meta)
		if meta == nil {
			meta = map[string]any{}
		}
		for _, key := range hostConfirmationKeys {
			meta[key] = true
		}
		e.listed.Meta = meta
	}
}
