package trust_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/trust"
)

func ExampleLevel_IsWeakerThan() {
	fmt.Println(trust.Trusted.IsWeakerThan(trust.Untrusted))
	fmt.Println(trust.Untrusted.IsWeakerThan(trust.Trusted))
	fmt.Println(trust.Sensitive.IsWeakerThan(trust.Untrusted), trust.Untrusted.IsWeakerThan(trust.Sensitive))
	// Output:
	// true
	// false
	// true true
}

func TestIsWeakerThan(t *testing.T) {
	t.Parallel()
	const (
		u  = trust.Level(0)
		t1 = trust.Trusted
		u1 = trust.Untrusted
		s  = trust.Sensitive
		p  = trust.PromptInjectionProne
	)
	tests := []struct {
		from, to trust.Level
		weaker   bool
	}{
		{u, u, false}, {u, t1, true}, {u, u1, true}, {u, s, true}, {u, p, false},
		{t1, u, false}, {t1, t1, false}, {t1, u1, false}, {t1, s, false}, {t1, p, false},
		{u1, u, false}, {u1, t1, true}, {u1, u1, false}, {u1, s, true}, {u1, p, false},
		{s, u, true}, {s, t1, true}, {s, u1, true}, {s, s, false}, {s, p, true},
		{p, u, false}, {p, t1, true}, {p, u1, true}, {p, s, true}, {p, p, false},
	}
	require.Len(t, tests, 25)
	for _, tt := range tests {
		assert.Equal(t, tt.weaker, tt.to.IsWeakerThan(tt.from), "from %v to %v", tt.from, tt.to)
	}
	assert.True(t, t1.IsWeakerThan(trust.Level(42)), "an unknown level behaves as an undeclared one")
	assert.False(t, trust.Level(42).IsWeakerThan(p))
}

func TestMayInject(t *testing.T) {
	t.Parallel()
	tests := map[trust.Level]bool{
		0: true, trust.Trusted: false, trust.Untrusted: true,
		trust.Sensitive: false, trust.PromptInjectionProne: true, 5: true, 255: true,
	}
	for l, want := range tests {
		assert.Equal(t, want, l.MayInject(), "%v", l)
	}
}

func TestEffective(t *testing.T) {
	t.Parallel()
	for _, l := range enumtest.All[trust.Level]() {
		assert.Equal(t, l, l.Effective())
	}
	for _, l := range []trust.Level{0, 5, 255} {
		assert.Equal(t, trust.PromptInjectionProne, l.Effective(), "%v", l)
	}
}

func TestLevel_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[trust.Level](t, "level", "", "trusted", "untrusted", "sensitive", "prompt-injection-prone")
}
