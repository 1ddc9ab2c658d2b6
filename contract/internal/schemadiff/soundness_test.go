package schemadiff_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/contract/internal/schemadiff"
)

const (
	generatedPairs = 1_000
	valuesPerPair  = 40
)

// A tally says how much a run has tried, so that it cannot pass by trying nothing.
type tally struct {
	pairs, wider, narrower int // compiled; claimed, of different schemas
	accepted               int // values that such a claim was tried on
}

// tryPair generates two schemas, compares them, and tries on generated values what the comparison claims.
func tryPair(t *testing.T, seed uint64, count *tally) {
	t.Helper()
	g := generator{rand.New(rand.NewPCG(seed, 7))}
	old := g.document()
	now := g.change(old)
	if g.chance(3) {
		now = g.document()
	}
	before, after := text(old), text(now)
	validOld, problems := schema.Compile(before, schema.CompileOptions{Lenient: true})
	if len(problems) > 0 {
		return
	}
	validNow, problems := schema.Compile(after, schema.CompileOptions{Lenient: true})
	if len(problems) > 0 {
		return
	}
	count.pairs++
	findings := schemadiff.Compare(before, after)
	lacks := func(effect schemadiff.Effect) bool {
		return !slices.ContainsFunc(findings, func(f schemadiff.Finding) bool {
			return f.Effect == effect || f.Effect == schemadiff.Unknown
		})
	}
	acceptsMore, acceptsLess := lacks(schemadiff.Narrowed), lacks(schemadiff.Widened)
	if string(before) != string(after) {
		count.wider, count.narrower = count.wider+one(acceptsMore), count.narrower+one(acceptsLess)
	}
	for i := range valuesPerPair {
		root := old
		if i%2 == 1 {
			root = now
		}
		value := g.value(root, root, 6)
		isOld, isNow := len(validOld.Validate(value)) == 0, len(validNow.Validate(value)) == 0
		if acceptsMore && isOld {
			count.accepted++
			require.True(t, isNow, "seed %d: nothing narrowed, and %s is refused\nold %s\nnew %s\n%v", seed, text(value), before, after, findings)
		}
		if acceptsLess && isNow {
			count.accepted++
			require.True(t, isOld, "seed %d: nothing widened, and %s was refused\nold %s\nnew %s\n%v", seed, text(value), before, after, findings)
		}
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
	for seed := uint64(0); count.pairs < generatedPairs; seed++ {
		require.Less(t, seed, uint64(10*generatedPairs), "too few schemas compile")
		tryPair(t, seed, &count)
	}
	t.Logf("%+v", count)
	assert.Greater(t, count.wider, generatedPairs/10, "claims that nothing narrowed")
	assert.Greater(t, count.narrower, generatedPairs/10, "claims that nothing widened")
	assert.Greater(t, count.accepted, generatedPairs, "values that a claim was tried on")
}

// FuzzCompare tries the same property on more pairs.
func FuzzCompare(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { tryPair(t, seed, new(tally)) })
}

// FuzzCompare_AnyDocuments holds that no two texts stop a comparison, and that one text is no change.
func FuzzCompare_AnyDocuments(f *testing.F) {
	for seed := range uint64(20) {
		g := generator{rand.New(rand.NewPCG(seed, 7))}
		old := g.document()
		f.Add(text(old), text(g.change(old)))
	}
	f.Add([]byte(`{"anyOf":[{"$ref":"#"},true]}`), []byte(`{"anyOf":[{"$ref":"#"},false]}`))
	f.Add([]byte(`{"required":[{}],"type":{},"enum":3}`), []byte(`{"allOf":[{"required":[[]]}],"required":["a"]}`))
	f.Fuzz(func(t *testing.T, old, now []byte) {
		schemadiff.Compare(old, now)
		schemadiff.Compare(now, old)
		assert.Empty(t, schemadiff.Compare(old, old))
	})
}
