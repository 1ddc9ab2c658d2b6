package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/diff"
	"github.com/toolcontract/toolcontract/internal/testing/longtest"
)

// valuesPerPair is the number of values that test the findings of a comparison.
const valuesPerPair = 40

// A tally counts what a run tried, so that it can't pass by trying nothing.
type tally struct {
	pairs, wider, narrower int // pairs that compile; without Narrowed; without Widened
	accepted               int // values that tested such a result
	compatible, unchanged  int // pairs of inputs that are compatible; also not wider
	filled, more           int // calls of such pairs with defaults; with more than before
}

// A pair is an old and a new schema with the findings of their comparison.
type pair struct {
	seed          uint64
	before, after []byte
	old, now      *schema.Schema
	findings      []diff.Difference
}

// lacks reports whether there is no such finding.
func (p pair) lacks(about func(diff.Difference) bool) bool {
	return !slices.ContainsFunc(p.findings, about)
}

func (p pair) String() string {
	return fmt.Sprintf("seed %d\nold %s\nnew %s\n%+v", p.seed, p.before, p.after, p.findings)
}

// tryPair generates two schemas, compares them, and tests the findings with
// generated values.
func tryPair(t *testing.T, seed uint64, count *tally) {
	t.Helper()
	g := generator{rand.New(rand.NewPCG(seed, 7))}
	old := g.document()
	now := g.change(old)
	if g.chance(3) {
		now = g.document()
	}
	p := pair{seed: seed, before: text(old), after: text(now)}
	var problems []schema.Problem
	if p.old, problems = schema.Compile(p.before, schema.CompileOptions{Lenient: true}); len(problems) > 0 {
		return
	}
	if p.now, problems = schema.Compile(p.after, schema.CompileOptions{Lenient: true}); len(problems) > 0 {
		return
	}
	count.pairs++
	p.findings = diff.Compare(p.before, p.after)
	for i := range valuesPerPair {
		root := old
		if i%2 == 1 {
			root = now
		}
		value := g.value(root, root, 6)
		p.tryResult(t, value, i == 0, count)
		p.tryCall(t, value, i == 0, count)
	}
}

// tryResult tries a value as a result; no defaults are filled in.
func (p pair) tryResult(t *testing.T, value any, first bool, count *tally) {
	t.Helper()
	is := func(effect diff.Effect) func(diff.Difference) bool {
		return func(f diff.Difference) bool {
			return f.Kind != diff.Default && (f.Effect == effect || f.Effect == diff.Unknown)
		}
	}
	acceptsMore, acceptsLess := p.lacks(is(diff.Narrowed)), p.lacks(is(diff.Widened))
	if first && string(p.before) != string(p.after) {
		count.wider, count.narrower = count.wider+one(acceptsMore), count.narrower+one(acceptsLess)
	}
	isOld, isNow := len(p.old.Validate(value)) == 0, len(p.now.Validate(value)) == 0
	if acceptsMore && isOld {
		count.accepted++
		require.True(t, isNow, "nothing narrowed, and %s is refused\n%s", text(value), p)
	}
	if acceptsLess && isNow {
		count.accepted++
		require.True(t, isOld, "nothing widened, and %s was refused\n%s", text(value), p)
	}
}

// tryCall tries a value as arguments; the guard fills in defaults before it
// checks them.
func (p pair) tryCall(t *testing.T, value any, first bool, count *tally) {
	t.Helper()
	compatible := p.lacks(func(f diff.Difference) bool {
		return f.Effect == diff.Narrowed || f.Effect == diff.Unknown || f.Kind == diff.Default
	})
	unchanged := compatible && p.lacks(func(f diff.Difference) bool { return f.Effect == diff.Widened })
	if first && string(p.before) != string(p.after) {
		count.compatible, count.unchanged = count.compatible+one(compatible), count.unchanged+one(unchanged)
	}
	before, filled := p.old.Fill(value)
	if !compatible || len(p.old.Validate(before)) > 0 {
		return
	}
	after, _ := p.now.Fill(value)
	violations := p.now.Validate(after)
	require.Empty(t, violations, "the call is compatible, and %s is refused\n%s", text(value), p)
	require.True(t, holds(after, before), "the handler got %s and gets %s of %s\n%s", text(before), text(after), text(value), p)
	same := string(text(before)) == string(text(after))
	require.True(t, same || !unchanged, "nothing changed, and the handler got %s and gets %s of %s\n%s", text(before), text(after),
		text(value), p)
	count.filled, count.more = count.filled+one(filled), count.more+one(!same)
}

// holds reports whether now equals old apart from new members.
func holds(now, old any) bool {
	switch was := old.(type) {
	case object:
		is, ok := now.(object)
		for name, member := range was {
			ok = ok && holds(is[name], member)
		}
		return ok
	case []any:
		is, ok := now.([]any)
		return ok && slices.EqualFunc(is, was, holds)
	default:
		return string(text(old)) == string(text(now))
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestCompare_NeverDisagreesWithTheValidator(t *testing.T) {
	t.Parallel()
	var count tally
	pairs := longtest.Count(t, 150, 1000)
	for seed := uint64(0); count.pairs < pairs; seed++ {
		require.Less(t, seed, uint64(10*pairs), "too few schemas compile") //nolint:gosec // a small positive number
		tryPair(t, seed, &count)
	}
	t.Logf("%+v", count)
	assert.Greater(t, count.wider, pairs/10, "claims that nothing narrowed")
	assert.Greater(t, count.narrower, pairs/10, "claims that nothing widened")
	assert.Greater(t, count.accepted, pairs, "values that a claim was tried on")
	assert.Greater(t, count.compatible, pairs/10, "claims that every call still works")
	assert.Greater(t, count.unchanged, pairs/20, "claims that every call is the same")
	assert.Greater(t, count.filled, pairs/2, "calls with defaults that a claim was tried on")
	assert.Positive(t, count.more, "calls with more defaults than before")
}

// FuzzCompare tries the same with more pairs.
func FuzzCompare(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { tryPair(t, seed, new(tally)) })
}

// FuzzCompare_AnyDocuments checks that any two texts can be compared, and that
// equal texts have no findings.
func FuzzCompare_AnyDocuments(f *testing.F) {
	for seed := range uint64(20) {
		g := generator{rand.New(rand.NewPCG(seed, 7))}
		old := g.document()
		f.Add(text(old), text(g.change(old)))
	}
	f.Add([]byte(`{"anyOf":[{"$ref":"#"},true]}`), []byte(`{"anyOf":[{"$ref":"#"},false]}`))
	f.Add([]byte(`{"required":[{}],"type":{},"enum":3}`), []byte(`{"allOf":[{"required":[[]]}],"required":["a"]}`))
	f.Fuzz(func(t *testing.T, old, now []byte) {
		diff.Compare(old, now)
		diff.Compare(now, old)
		assert.Empty(t, diff.Compare(old, old))
	})
}
