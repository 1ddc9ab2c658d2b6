package toolcontract_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// readmeWords has the members of a document that the README calls otherwise.
var readmeWords = map[string]string{
	"auditEvent":   "audit event",
	"deprecated":   "deprecation",
	"failureModes": "failure modes",
	"idempotency":  "managed idempotency",
	"inputSchema":  "input schema",
	"outputSchema": "output schema",
	"sideEffects":  "side effects",
	"timeoutMs":    "timeout",
}

// notInREADME has the members of a document that need no row.
var notInREADME = map[string]string{
	"format":             "it is the version of the wire form",
	"version":            "package compat compares it, no call does",
	"autonomous":         "it follows from the confirmation",
	"confirmationReason": "it belongs to the confirmation",
	"noPermissions":      "it belongs to the permissions",
}

func TestREADME_ListsEveryClauseAsEnforcedOrAdvisory(t *testing.T) {
	t.Parallel()
	_, section, found := strings.Cut(read(t, "README.md"), "\n## What is enforced\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	listed := map[string]bool{}
	for line := range strings.Lines(section) {
		columns := strings.Split(line, "|")
		if len(columns) < 4 {
			continue
		}
		for clause := range strings.SplitSeq(columns[1], ",") {
			listed[strings.TrimSpace(clause)] = true
		}
	}
	for field := range reflect.TypeFor[contract.Document]().Fields() {
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if member == "-" || notInREADME[member] != "" {
			continue
		}
		word := member
		if other, ok := readmeWords[member]; ok {
			word = other
		}
		assert.True(t, listed[word], "the table in README.md has no row for %q (%s)", word, member)
	}
}
