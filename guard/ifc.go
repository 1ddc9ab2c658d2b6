package guard

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// metaKeyIFC is the key of the label in a result's _meta; see [WithIFCLabels].
const metaKeyIFC = "ifc"

// A label is the label of a result for information flow control.
type label struct {
	// Integrity is "trusted" or "untrusted".
	Integrity string `json:"integrity"`
	// Confidentiality is "public" or "private".
	Confidentiality string `json:"confidentiality"`
}

const (
	ifcTrusted   = "trusted"
	ifcUntrusted = "untrusted"
	ifcPublic    = "public"
	ifcPrivate   = "private"
)

// labelOf returns the function that adds a tool's label to the _meta of its
// results, or nil if the guard adds none.
func (g *Guard) labelOf() func(*contract.Document) func(map[string]any) map[string]any {
	if !g.ifcLabels {
		return nil
	}
	return func(d *contract.Document) func(map[string]any) map[string]any {
		own := labelFor(d)
		return func(meta map[string]any) map[string]any { return withIFC(meta, own) }
	}
}

// labelFor returns the label of all results of a tool.
func labelFor(d *contract.Document) label {
	reads := d.Effective().Reads
	l := label{Integrity: ifcTrusted, Confidentiality: ifcPrivate}
	if slices.Contains(reads, contract.UntrustedData) {
		l.Integrity = ifcUntrusted
	}
	if slices.Contains(reads, contract.PublicData) {
		l.Confidentiality = ifcPublic
	}
	return l
}

// withIFC adds a label to the _meta of a result, and may change meta. If meta
// has a label already, the stricter one wins, part by part: anything but the
// weaker word counts as the stricter one, so an unreadable label is the
// strictest.
func withIFC(meta map[string]any, l label) map[string]any {
	if own, has := meta[metaKeyIFC]; has {
		parts, _ := own.(map[string]any)
		if parts["integrity"] != ifcTrusted {
			l.Integrity = ifcUntrusted
		}
		if parts["confidentiality"] != ifcPublic {
			l.Confidentiality = ifcPrivate
		}
	}
	if meta == nil {
		meta = map[string]any{}
	}
	meta[metaKeyIFC] = l
	return meta
}
