package export

import (
	"regexp"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// justifications are one sentence for each hint, derived from the contract's
// effect, its side effects and their reach.
type justifications struct {
	ReadOnly    string `json:"read_only_justification"`
	OpenWorld   string `json:"open_world_justification"`
	Destructive string `json:"destructive_justification"`
}

// effects says what a call does, by its effect.
var effects = map[risk.Effect]string{
	risk.LowRiskWrite:        "creates or changes data within narrow bounds",
	risk.HighRiskWrite:       "changes data that matters to others",
	risk.ExternalPublication: "sends or shows something outside the organisation",
	risk.PaidOperation:       "spends money",
	risk.Destructive:         "deletes data, or changes it beyond recovery",
}

// maxChanges caps the length of the side effects in a sentence.
const maxChanges = 200

// justify returns the sentences for a tool that has a contract and all three
// hints.
func justify(t tool) justifications {
	doc := t.doc.Effective()
	return justifications{
		ReadOnly:    readOnlySentence(t, doc),
		OpenWorld:   openWorldSentence(t, doc),
		Destructive: destructiveSentence(t, doc),
	}
}

func readOnlySentence(t tool, doc contract.Document) string {
	if *t.readOnly {
		return "A call only reads: the contract of the tool declares that it changes nothing."
	}
	return sentence("A call "+effects[doc.Effect.Effective()], t.changes(doc, nil))
}

func destructiveSentence(t tool, doc contract.Document) string {
	irreversible := func(s contract.SideEffect) bool { return s.Undo.Effective() == contract.Irreversible }
	switch {
	case !*t.destructive && *t.readOnly:
		return "A call changes nothing, so nothing can be lost."
	case !*t.destructive:
		return sentence("Each change that a call makes can be undone", t.changes(doc, nil))
	case doc.Effect.Effective() == risk.Destructive:
		return sentence("A call "+effects[risk.Destructive], t.changes(doc, irreversible))
	default:
		return sentence("A change that a call makes cannot be undone", t.changes(doc, irreversible))
	}
}

func openWorldSentence(t tool, doc contract.Document) string {
	if !*t.open {
		return "A call reaches only this system, and its result has no content of outside parties."
	}
	var does []string
	effect := doc.Effect.Effective()
	if effect == risk.ExternalPublication || effect == risk.PaidOperation {
		does = append(does, effects[effect])
	}
	external := t.changes(doc, func(s contract.SideEffect) bool { return s.Reach.Effective() == contract.External })
	if external != "" && len(does) == 0 {
		does = append(does, "reaches people or systems outside this one")
	}
	if doc.ContentTrust != trust.Trusted && doc.ContentTrust != trust.Sensitive ||
		slices.Contains(doc.Reads, contract.UntrustedData) {
		does = append(does, "returns content of outside parties")
	}
	if doc.Sends && len(does) == 0 {
		does = append(does, "can carry data of its arguments out of this system")
	}
	if len(does) == 0 {
		does = append(does, "reaches people or systems outside this one")
	}
	return sentence("A call "+strings.Join(does, " and "), external)
}

// changes returns the side effects that a condition selects, as one clause. It
// is empty if there are none, or if the contract is a summary.
func (t tool) changes(doc contract.Document, selects func(contract.SideEffect) bool) string {
	if !t.whole {
		return ""
	}
	var all []string
	for _, s := range doc.SideEffects {
		if s.Description != "" && (selects == nil || selects(s)) {
			all = append(all, oneClause(s.Description))
		}
	}
	return cli.Cut(strings.Join(all, "; "), maxChanges)
}

var endOfSentence = regexp.MustCompile(`[.!?]+(\s+|$)`)

// oneClause returns the sentences of a description as part of a single
// sentence.
func oneClause(description string) string {
	return strings.TrimRight(endOfSentence.ReplaceAllString(cli.OneLine(description), "; "), "; ")
}

func sentence(says, changes string) string {
	if changes != "" {
		says += ": " + changes
	}
	return says + "."
}
