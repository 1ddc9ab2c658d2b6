package catalog

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// A new clause needs words on the page, or a line in elsewhere.
func TestPage_HasWordsForEveryMemberOfADocument(t *testing.T) {
	t.Parallel()
	worded := map[string]bool{}
	for _, c := range pageClauses() {
		for _, member := range c.members {
			assert.False(t, worded[member], "%s has words twice", member)
			worded[member] = true
		}
	}
	members := map[string]bool{}
	for field := range reflect.TypeFor[contract.Document]().Fields() {
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if member == "-" {
			continue
		}
		members[member] = true
		assert.NotEqual(t, worded[member], elsewhere[member] != "", "%s: add it to pageClauses, or to elsewhere with the reason",
			member)
	}
	for member := range worded {
		assert.True(t, members[member], "%s is not a member of a document", member)
	}
	for member := range elsewhere {
		assert.True(t, members[member], "%s is not a member of a document", member)
	}
}

// A clause without words for its value would be missing from the page.
func TestPage_TheWordsOfAnEmptyContractAreThoseOfTheStrictest(t *testing.T) {
	t.Parallel()
	var d contract.Document
	e := d.Effective()
	words := map[string]string{}
	for _, c := range pageClauses() {
		words[c.term] = strings.Join(c.words(&d, &e), " ")
	}
	assert.Equal(t, "It can destroy something. Its changes cannot be undone.", words["What it does"])
	assert.Equal(t, "A person confirms every call.", words["Who decides"])
	assert.Contains(t, words["Data"], "The trust is not declared.")
	assert.Contains(t, words["Side effects"], "external and irreversible")
	assert.Equal(t, "A repeated call has its effect again.", words["Repeated calls"])
}

func TestPage_TimesAndSizesAreInWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1 seconds", 60: "a minute", 90: "90 seconds", 120: "2 minutes", 3600: "an hour",
		86400: "a day", 172800: "2 days"} {
		assert.Equal(t, want, seconds(time.Duration(n)*time.Second))
	}
	for n, want := range map[int64]string{1: "1 bytes", 2048: "2 KiB", 1 << 20: "1 MiB", 1<<20 + 1: "1048577 bytes"} {
		assert.Equal(t, want, sizeWords(n))
	}
}

func TestPage_ExplainsWhoseKeyACallNeeds(t *testing.T) {
	t.Parallel()
	for required, want := range map[bool]bool{true: true, false: false} {
		d := contract.Document{Idempotency: &contract.Idempotency{Mode: idempotency.Managed, ClientKey: true, KeyRequired: required}}
		e := d.Effective()
		words := idempotencyWords(&d, &e)
		assert.Equal(t, want, slices.Contains(words, "A call without an idempotency key is refused."), "%q", words)
		assert.Equal(t, !want, strings.Contains(strings.Join(words, " "), "no other key than all arguments"), "%q", words)
	}
}

func TestPage_ExplainsHowALostCallIsFound(t *testing.T) {
	t.Parallel()
	const asks = "After an unknown outcome, a repeated call finds out whether the effect happened, and returns its result if it did."
	for name, c := range map[string]struct {
		edit func(*contract.Document)
		want []string
	}{
		"never":             {func(d *contract.Document) { d.Reconcile = nil }, nil},
		"only what is sure": {func(*contract.Document) {}, []string{asks}},
		"after a quiet time": {func(d *contract.Document) { d.Reconcile.Quiet = time.Minute },
			[]string{asks, "If it has not happened so far, the repeated call runs after a minute."}},
		"not from high risk up": {func(d *contract.Document) { d.Reconcile.Quiet, d.Risk = time.Minute, risk.High }, []string{asks}},
		"at once if the system deduplicates": {func(d *contract.Document) { d.Idempotency.OnUnknown = idempotency.Rerun },
			[]string{asks, "If it has not happened so far, the repeated call runs."}},
	} {
		d := contract.Document{
			Effect: risk.LowRiskWrite, Reconcile: &contract.Reconciling{},
			Idempotency: &contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}},
		}
		c.edit(&d)
		e := d.Effective()
		assert.Equal(t, c.want, reconcileWords(&d, &e), name)
		repeated := strings.Join(idempotencyWords(&d, &e), " ")
		assert.Equal(t, c.want == nil, strings.Contains(repeated, "After an unknown outcome"), "%s: %s", name, repeated)
	}
}

func TestPage_ExplainsWhatAnAtomicCallLeaves(t *testing.T) {
	t.Parallel()
	words := func(atomic bool) string {
		d := contract.Document{Idempotency: &contract.Idempotency{Mode: idempotency.Managed, Atomic: atomic}}
		e := d.Effective()
		return strings.Join(idempotencyWords(&d, &e), " ")
	}
	const together, unknown = "The outcome and the writes of a call are stored together", "After an unknown outcome"
	assert.Contains(t, words(true), together)
	assert.NotContains(t, words(true), unknown, "no outcome is unknown")
	assert.Contains(t, words(false), unknown)
	assert.NotContains(t, words(false), together)
}
