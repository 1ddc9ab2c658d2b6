package docs_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

const clausesPage = "docs/clauses.md"

// pageWords has the members of a document that the page calls otherwise.
var pageWords = map[string]string{
	"auditEvent":   "audit event",
	"deprecated":   "deprecation",
	"failureModes": "failure modes",
	"idempotency":  "managed idempotency",
	"inputSchema":  "input schema",
	"outputSchema": "output schema",
	"sideEffects":  "side effects",
	"timeoutMs":    "timeout",
}

// notOnPage has the members of a document that need no entry.
var notOnPage = map[string]string{
	"format":             "it is the version of the wire form",
	"version":            "package compat compares it, no call does",
	"autonomous":         "it follows from the confirmation",
	"reversibility":      "it follows from the effect and the side effects",
	"confirmationReason": "it belongs to the confirmation",
	"noPermissions":      "it belongs to the permissions",
}

func TestClausesPage_ListsEveryClauseAsEnforcedOrAdvisory(t *testing.T) {
	t.Parallel()
	section := read(t, clausesPage)
	listed := map[string]bool{}
	for _, entry := range regexp.MustCompile(`(?m)^- \*\*(.+?)\*\* \(`).FindAllStringSubmatch(section, -1) {
		for clause := range strings.SplitSeq(entry[1], ",") {
			listed[strings.TrimSpace(clause)] = true
		}
	}
	for field := range reflect.TypeFor[contract.Document]().Fields() {
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if member == "-" || notOnPage[member] != "" {
			continue
		}
		word := member
		if other, ok := pageWords[member]; ok {
			word = other
		}
		assert.True(t, listed[word], "the list has no entry for %q (%s)", word, member)
	}
}
