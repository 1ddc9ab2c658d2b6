package engine

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// The lines about the effects of a write that began and failed. No read and no
// dry run has one.
const (
	mayHaveHappened = "Effects may have happened."
	mayStillHappen  = "Effects may have happened or may still happen."
)

// effectsOf returns the line about effects for a call whose handler began, and
// "" for a read.
func effectsOf(doc *contract.Document, line string) string {
	if doc.Effect == risk.ReadOnly {
		return ""
	}
	return line
}
