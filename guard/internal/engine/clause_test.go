package engine

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

// notEnforced has the members of a document that no stage enforces, with the
// reason. A new clause needs a stage that enforces it, or a line here.
var notEnforced = map[string]string{
	"format":             "it is the version of the wire form",
	"name":               "the set of tools finds the tool of a call by it",
	"aliases":            "the set of tools finds the tool of a call by them",
	"title":              "advisory: for people",
	"description":        "advisory: for people and models",
	"category":           "advisory: for filters",
	"metadata":           "advisory: free data",
	"version":            "advisory: every outcome has it",
	"deprecated":         "advisory: every outcome has the notice",
	"autonomous":         "it follows from the confirmation",
	"confirmationReason": "advisory: a reason for people",
	"noPermissions":      "advisory: a reason for people",
	"reads":              "advisory: every outcome has it; Protect may demand a confirmation for it",
	"sends":              "advisory: only the handler could break it; Protect may demand a confirmation for it",
	"reversibility":      "it follows from the effect and the side effects",
	"sideEffects":        "advisory: only the handler could break them",
}

func TestStages_EnforceEveryMemberOfADocumentOrHaveAReasonWhyNot(t *testing.T) {
	t.Parallel()
	enforced := map[string]string{}
	for _, s := range Stages() {
		for _, member := range s.Enforces {
			enforced[member] = s.Name
		}
	}
	members := map[string]bool{}
	for field := range reflect.TypeFor[contract.Document]().Fields() {
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if member == "-" {
			continue
		}
		members[member] = true
		if notEnforced[member] == "" {
			assert.NotEmpty(t, enforced[member], "no stage enforces %s: add it to what a stage enforces, or to notEnforced "+
				"with the reason", member)
		} else {
			assert.Empty(t, enforced[member], "%s is in notEnforced", member)
		}
	}
	for member, stage := range enforced {
		assert.True(t, members[member], "the stage %s enforces %s, which is not a member of a document", stage, member)
	}
	for member := range notEnforced {
		assert.True(t, members[member], "%s is not a member of a document", member)
	}
}
