package trust_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		u  = trust.Undeclared
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
		trust.Undeclared: true, trust.Trusted: false, trust.Untrusted: true,
		trust.Sensitive: false, trust.PromptInjectionProne: true, 5: true, 255: true,
	}
	for l, want := range tests {
		assert.Equal(t, want, l.MayInject(), "%v", l)
	}
}

func TestEffective(t *testing.T) {
	t.Parallel()
	for _, l := range trust.Levels() {
		assert.Equal(t, l, l.Effective())
	}
	for _, l := range []trust.Level{trust.Undeclared, 5, 255} {
		assert.Equal(t, trust.PromptInjectionProne, l.Effective(), "%v", l)
	}
}

func TestLevelText(t *testing.T) {
	t.Parallel()
	texts := map[trust.Level]string{
		trust.Trusted: "trusted", trust.Untrusted: "untrusted", trust.Sensitive: "sensitive",
		trust.PromptInjectionProne: "prompt-injection-prone",
	}
	require.Len(t, trust.Levels(), len(texts))
	for _, l := range trust.Levels() {
		assert.True(t, l.IsValid())
		assert.Equal(t, texts[l], l.String())
		text, err := l.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, texts[l], string(text))
		var got trust.Level
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, l, got)
	}
	assert.Equal(t, "undeclared", trust.Undeclared.String())
	assert.Equal(t, "level(42)", trust.Level(42).String())
	trust.Levels()[0] = trust.Sensitive
	assert.Equal(t, trust.Trusted, trust.Levels()[0], "the list belongs to the caller")
}

func TestLevelWithoutText(t *testing.T) {
	t.Parallel()
	for _, l := range []trust.Level{trust.Undeclared, 5, 255} {
		assert.False(t, l.IsValid())
		_, err := l.MarshalText()
		assert.Error(t, err, "%v", l)
	}
	for _, text := range []string{"", "Trusted", "undeclared", "prompt_injection_prone", "level(1)", "hunter2"} {
		l := trust.Sensitive
		err := l.UnmarshalText([]byte(text))
		require.Error(t, err, "%q", text)
		assert.Equal(t, trust.Sensitive, l, "%q leaves the receiver alone", text)
		for _, allowed := range trust.Levels() {
			assert.ErrorContains(t, err, allowed.String())
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestLevelIsOmittedFromJSONWhereUndeclared(t *testing.T) {
	t.Parallel()
	type document struct {
		Trust trust.Level `json:"contentTrust,omitzero"`
	}
	empty, err := json.Marshal(document{})
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(empty))
	full, err := json.Marshal(document{trust.PromptInjectionProne})
	require.NoError(t, err)
	assert.JSONEq(t, `{"contentTrust":"prompt-injection-prone"}`, string(full))
}
