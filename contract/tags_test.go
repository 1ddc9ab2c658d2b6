package contract

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/fieldtag"
)

// readAll reads each tag as if it were on its own Tags field, in order.
func readAll(tags ...string) *layer {
	r := tagReader{layer: &layer{}, keys: keysOf(clauses[:]), field: "In._"}
	for _, tag := range tags {
		pairs, message := fieldtag.Pairs(tag)
		if message != "" {
			r.mistake(ruleTagSyntax, r.field, message, "mend the tag")
		}
		r.readTags(pairs)
	}
	return r.layer
}

func TestTags_RefuseInvalidValues(t *testing.T) {
	t.Parallel()
	for key, values := range map[string][]string{
		"flatName":         {"", "yes", "TRUE", "1", "false"},
		"autonomous":       {"", "no", "t"},
		"cancellable":      {"", "True", "false"},
		"clientKey":        {"", "yes"},
		"atomic":           {"", "yes"},
		"metadata":         {"", "[]", "1", `"x"`, "{", `{"a":}`, `{} {}`},
		"aliases":          {"", "a,", ",a", "a,,b", " "},
		"permissions":      {"", "a,"},
		"discoverWith":     {"", "a, ,b"},
		"keyFields":        {"", "a,"},
		"risk":             {"", "undeclared", "High", "severe"},
		"effect":           {"", "undeclared", "read only", "write"},
		"trust":            {"", "undeclared", "TRUSTED"},
		"delimit":          {"", "undeclared", "always"},
		"sanitize":         {"", "undeclared", "all"},
		"reads":            {"", "secret", "private,", "undeclared"},
		"sends":            {"", "false", "yes"},
		"lenient":          {"", "null", "null-as-absent,", "undeclared"},
		"securityLevel":    {"", "-1", "+1", "11", "256", "04", "4.0", "1e0", " 1", "0x1", "high"},
		"dryRun":           {"", "undeclared", "true"},
		"confirmation":     {"", "undeclared", "sometimes"},
		"idempotency":      {"", "undeclared", "yes"},
		"onUnknown":        {"", "undeclared", "retry"},
		"timeout":          {"", "5", "soon", "5 s"},
		"maxConcurrent":    {"", "4.0", "many", "0x4"},
		"maxResultBytes":   {"", "1MiB", "9223372036854775808"},
		"maxArgumentBytes": {"", "1e6"},
		"retryBudget":      {"", "3", "3/", "/5m", "3/minute", "3/5m/5m", "many/5m"},
		"rateLimit":        {"", "20", "20/", "/1m", "20/minute", "20/1m/1m", "many/1m"},
		"totalRateLimit":   {"", "20", "20/", "/1m", "20/minute", "20/1m/1m", "many/1m"},
		"stepUpMaxAge":     {"", "300", "1.5s", "soon"},
		"retention":        {"", "24", "0.5s"},
	} {
		for _, value := range values {
			t.Run(key+" is not "+value, func(t *testing.T) {
				t.Parallel()
				l := readAll(key + ":" + strconv.Quote(value))
				require.Len(t, l.mistakes, 1)
				assert.Equal(t, ruleTagValue, l.mistakes[0].Rule)
				assert.Equal(t, "In._ "+key, l.mistakes[0].Where)
				assert.NotEmpty(t, l.mistakes[0].Remedy)
			})
		}
	}
}

func TestTags_SuggestTheKeyThatWasMeant(t *testing.T) {
	t.Parallel()
	for wrong, meant := range map[string]string{
		"permision":   "permissions",
		"Risk":        "risk",
		"efect":       "effect",
		"timeOut":     "timeout",
		"description": "",
		"xyzzy":       "",
	} {
		l := readAll(wrong + `:"x"`)
		if wrong == "description" {
			assert.Empty(t, l.mistakes)
			continue
		}
		require.Len(t, l.mistakes, 1, wrong)
		assert.Equal(t, ruleTagKey, l.mistakes[0].Rule)
		if meant == "" {
			assert.NotContains(t, l.mistakes[0].Remedy, "did you mean")
		} else {
			assert.Contains(t, l.mistakes[0].Remedy, "did you mean "+meant+"?")
		}
		assert.Contains(t, l.mistakes[0].Remedy, "autonomous", "the known keys are listed")
	}
}

func TestTags_SuggestTheValueThatWasMeant(t *testing.T) {
	t.Parallel()
	for tag, test := range map[string]struct{ value, meant string }{
		`risk:"hihg"`:        {"hihg", "high"},
		`effect:"Read-Only"`: {"Read-Only", "read-only"},
		`risk:"grave"`:       {"grave", ""},
	} {
		l := readAll(tag)
		require.Len(t, l.mistakes, 1, tag)
		m := l.mistakes[0]
		assert.Contains(t, m.Message, strconv.Quote(test.value), "the author sees the value")
		assert.NotContains(t, m.Message, "risk:", "the author knows tags, not packages")
		assert.Contains(t, m.Remedy, "high", "the allowed values are listed")
		assert.Equal(t, test.meant != "", strings.HasPrefix(m.Remedy, "did you mean "+test.meant+"?"), m.Remedy)
	}
}

func TestTags_DeclareAClauseOnceOverAllFields(t *testing.T) {
	t.Parallel()
	l := readAll(`version:"1.0.0"`, `category:"a" version:"1.0.0"`)
	require.Len(t, l.mistakes, 1)
	assert.Equal(t, ruleTagDuplicate, l.mistakes[0].Rule)

	l = readAll(`idempotency:"managed"`, `retention:"1h"`, `onUnknown:"rerun"`)
	assert.Empty(t, l.mistakes, "the keys of one clause may stand in several fields")
	assert.Equal(t, time.Hour, declaredIdempotency.of(l).Retention)
}

func TestTags_DeclareNothingThatCannotBeRead(t *testing.T) {
	t.Parallel()
	l := readAll(`risk:"severe" timeout:"soon" rateLimit:"20" metadata:"x" flatName:"yes"`)
	assert.Len(t, l.mistakes, 5)
	assert.Empty(t, l.values)
}

func TestSideEffectAndFailureTags_KnowTheirKeys(t *testing.T) {
	t.Parallel()
	l := &layer{}
	r := &tagReader{layer: l, field: "In._"}
	readFields(r, []fieldtag.Pair{{Key: "description", Value: "A note."}, {Key: "reech", Value: "internal"},
		{Key: "undo", Value: "maybe"}}, sideEffectKeys())
	readFields(r, []fieldtag.Pair{{Key: "code", Value: "gone"}, {Key: "klass", Value: "fatal"}, {Key: "effectPossible",
		Value: "perhaps"}}, failureKeys())
	require.Len(t, l.mistakes, 4)
	var rules []string
	for _, m := range l.mistakes {
		rules = append(rules, m.Rule)
	}
	assert.Equal(t, []string{ruleTagKey, ruleTagValue, ruleTagKey, ruleTagValue}, rules)
	assert.Contains(t, l.mistakes[0].Remedy, "did you mean reach?")
	assert.Contains(t, l.mistakes[2].Remedy, "did you mean class?")
}

// FuzzTags checks that reading and checking any tag does not panic, and that
// every mistake has a rule, a place, a message and a remedy.
func FuzzTags(f *testing.F) {
	for _, seed := range []string{
		`name:"notes.read" effect:"read-only" version:"1.0.0" description:"Reads."`,
		`idempotency:"managed" keyFields:"a,b" clientKey:"true" retention:"24h" onUnknown:"refuse"`,
		`rateLimit:"20/1m" totalRateLimit:"1000/1m" timeout:"5s" maxConcurrent:"4" maxResultBytes:"1" maxArgumentBytes:"1"`,
		`rateLimit:"-1/-1m" totalRateLimit:"0/1h" stepUpACR:"\"" timeout:"-5s" retention:"2540400h" stepUpMaxAge:"-1s" ` +
			`maxConcurrent:"-1"`,
		`confirmation:"never" confirmationReason:"x" risk:"restricted" securityLevel:"9" autonomous:"true"`,
		`metadata:"{\"a\":1e400}" metadata:"null"`, `permissions:"a," noPermissions:""`, `dryRun:"required" x:"y"`, `risk:`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		c := checker{clauses: clauses[:], layer: *readAll(tag)}
		c.check()
		for _, m := range c.mistakes {
			assert.True(t, m.Rule != "" && m.Where != "" && m.Message != "" && m.Remedy != "", "%+v", m)
		}
		if len(c.mistakes) == 0 {
			_, err := c.doc.Digest()
			assert.NoError(t, err)
		}
	})
}
