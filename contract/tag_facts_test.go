package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readFacts reads tags as those of successive Facts fields.
func readFacts(tags ...string) facts {
	var f facts
	r := tagReader{facts: &f, field: "In._"}
	for _, tag := range tags {
		pairs, message := parseStructTag(tag)
		if message != "" {
			f.mistake(ruleTagSyntax, r.field, message, "mend the tag")
		}
		r.readFacts(pairs)
	}
	r.finish()
	return f
}

func TestFactsTag_RefusesValuesThatAreNone(t *testing.T) {
	t.Parallel()
	for key, values := range map[string][]string{
		"flatName":         {"", "yes", "TRUE", "1"},
		"autonomous":       {"", "no", "t"},
		"cancellable":      {"", "True"},
		"clientKey":        {"", "yes"},
		"metadata":         {"", "[]", "1", `"x"`, "{", `{"a":}`, `{} {}`},
		"aliases":          {"", "a,", ",a", "a,,b", " "},
		"permissions":      {"", "a,"},
		"discoverWith":     {"", "a, ,b"},
		"idempotencyKey":   {"", "a,"},
		"risk":             {"", "undeclared", "High", "severe"},
		"effect":           {"", "undeclared", "read only", "write"},
		"trust":            {"", "undeclared", "TRUSTED"},
		"securityLevel":    {"", "-1", "11", "04", "4.0", "high"},
		"dryRun":           {"", "undeclared", "true"},
		"confirmation":     {"", "undeclared", "sometimes"},
		"idempotency":      {"", "undeclared", "yes"},
		"onUnknown":        {"", "undeclared", "retry"},
		"timeout":          {"", "5", "soon", "5 s"},
		"maxConcurrent":    {"", "4.0", "many", "0x4"},
		"maxResultBytes":   {"", "1MiB", "9223372036854775808"},
		"maxArgumentBytes": {"", "1e6"},
		"rateLimit":        {"", "20", "20/", "/1m", "20/minute", "20/1m/1m", "many/1m"},
		"totalRateLimit":   {"", "20", "20/", "/1m", "20/minute", "20/1m/1m", "many/1m"},
		"stepUpMaxAge":     {"", "300", "1.5s", "soon"},
		"retention":        {"", "24", "0.5s"},
	} {
		for _, value := range values {
			t.Run(key+" is not "+value, func(t *testing.T) {
				t.Parallel()
				f := facts{}
				r := tagReader{facts: &f, field: "In._"}
				r.readFacts([]tagPair{{key, value}})
				require.Len(t, f.mistakes, 1)
				assert.Equal(t, ruleTagValue, f.mistakes[0].Rule)
				assert.Equal(t, "In._ "+key, f.mistakes[0].Clause)
				assert.NotEmpty(t, f.mistakes[0].Remedy)
			})
		}
	}
}

func TestFactsTag_SuggestsTheKeyThatWasMeant(t *testing.T) {
	t.Parallel()
	for wrong, meant := range map[string]string{
		"permision":   "permissions",
		"Risk":        "risk",
		"efect":       "effect",
		"timeOut":     "timeout",
		"description": "",
		"xyzzy":       "",
	} {
		f := readFacts(wrong + `:"x"`)
		if wrong == "description" {
			assert.Empty(t, f.mistakes)
			continue
		}
		require.Len(t, f.mistakes, 1, wrong)
		assert.Equal(t, ruleTagKey, f.mistakes[0].Rule)
		if meant == "" {
			assert.NotContains(t, f.mistakes[0].Remedy, "did you mean")
		} else {
			assert.Contains(t, f.mistakes[0].Remedy, "did you mean "+meant+"?")
		}
		assert.Contains(t, f.mistakes[0].Remedy, "autonomous", "the known keys are listed")
	}
}

func TestFactsTag_SaysAClauseOnceOverAllFields(t *testing.T) {
	t.Parallel()
	f := readFacts(`version:"1.0.0"`, `category:"a" version:"1.0.0"`)
	require.Len(t, f.mistakes, 1)
	assert.Equal(t, ruleTagDuplicate, f.mistakes[0].Rule)

	f = readFacts(`idempotency:"managed"`, `retention:"1h"`, `onUnknown:"rerun"`)
	assert.Empty(t, f.mistakes, "the keys of one clause may stand in several fields")
	assert.Equal(t, int64(3600), f.idempotency.value.RetentionSeconds)
}

func TestFactsTag_LeavesUnsaidWhatItCannotRead(t *testing.T) {
	t.Parallel()
	f := readFacts(`risk:"severe" timeout:"soon" rateLimit:"20" metadata:"x" flatName:"yes"`)
	assert.Len(t, f.mistakes, 5)
	assert.False(t, f.risk.ok || f.timeout.ok || f.rateLimit.ok || f.metadata.ok || f.flatName.ok)
}

func TestSideEffectAndFailureTags_KnowTheirKeys(t *testing.T) {
	t.Parallel()
	var f facts
	r := tagReader{facts: &f, field: "In._"}
	r.readSideEffect([]tagPair{{"description", "A note."}, {"reech", "internal"}, {"undo", "maybe"}})
	r.readFailure([]tagPair{{"code", "gone"}, {"klass", "fatal"}, {"effectPossible", "perhaps"}})
	require.Len(t, f.mistakes, 4)
	var rules []string
	for _, m := range f.mistakes {
		rules = append(rules, m.Rule)
	}
	assert.Equal(t, []string{ruleTagKey, ruleTagValue, ruleTagKey, ruleTagValue}, rules)
	assert.Contains(t, f.mistakes[0].Remedy, "did you mean reach?")
	assert.Contains(t, f.mistakes[2].Remedy, "did you mean class?")
}

// FuzzFactsTag: any tag is read without a panic, and what is read is checked
// without one; every mistake says what, where and what to do.
func FuzzFactsTag(f *testing.F) {
	for _, seed := range []string{
		`name:"notes.read" effect:"read-only" version:"1.0.0" description:"Reads."`,
		`idempotency:"managed" idempotencyKey:"a,b" clientKey:"true" retention:"24h" onUnknown:"refuse"`,
		`rateLimit:"20/1m" totalRateLimit:"1000/1m" timeout:"5s" maxConcurrent:"4" maxResultBytes:"1" maxArgumentBytes:"1"`,
		`rateLimit:"-1/-1m" totalRateLimit:"0/1h" stepUpACR:"\"" timeout:"-5s" retention:"2540400h" stepUpMaxAge:"-1s" maxConcurrent:"-1"`,
		`confirmation:"never" confirmationReason:"x" risk:"restricted" securityLevel:"9" autonomous:"true"`,
		`metadata:"{\"a\":1e400}" metadata:"null"`, `permissions:"a," noPermissions:""`, `dryRun:"required" x:"y"`, `risk:`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		c := checker{facts: readFacts(tag)}
		c.check()
		for _, m := range c.facts.mistakes {
			assert.True(t, m.Rule != "" && m.Clause != "" && m.Message != "" && m.Remedy != "", "%+v", m)
		}
		if len(c.facts.mistakes) == 0 {
			_, err := c.doc.Digest()
			assert.NoError(t, err)
		}
	})
}
