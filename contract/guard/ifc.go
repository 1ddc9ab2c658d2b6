package guard

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// MetaKeyIFC is the key of the label in a result's _meta; see [WithIFCLabels].
const MetaKeyIFC = "ifc"

// An IFCLabel is the label of a result for information flow control.
type IFCLabel struct {
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

// labelOf returns the function that adds the label of a tool to the _meta of
// its results. Nil: the guard adds none.
func (g *Guard) labelOf() func(*contract.Document) func(map[string]any) map[string]any {
	if !g.ifcLabels {
		return nil
	}
	return func(d *contract.Document) func(map[string]any) map[string]any {
		label := ifcLabel(d)
		return func(meta map[string]any) map[string]any { return withIFC(meta, label) }
	}
}

// ifcLabel returns the label of all results of a tool.
func ifcLabel(d *contract.Document) IFCLabel {
	reads := d.Effective().Reads
	label := IFCLabel{Integrity: ifcTrusted, Confidentiality: ifcPrivate}
	if slices.Contains(reads, contract.UntrustedData) {
		label.Integrity = ifcUntrusted
	}
	if slices.Contains(reads, contract.PublicData) {
		label.Confidentiality = ifcPublic
	}
	return label
}

// withIFC adds a label to the _meta of a result, which belongs to the call. A
// label in meta that is stricter counts, and so does one that cannot be read:
// each part of it that is not the weaker word is the stricter one.
func withIFC(meta map[string]any, label IFCLabel) map[string]any {
	if own, has := meta[MetaKeyIFC]; has {
		parts, _ := own.(map[string]any)
		if parts["integrity"] != ifcTrusted {
			label.Integrity = ifcUntrusted
		}
		if parts["confidentiality"] != ifcPublic {
			label.Confidentiality = ifcPrivate
		}
	}
	if meta == nil {
		meta = map[string]any{}
	}
	meta[MetaKeyIFC] = label
	return meta
}
