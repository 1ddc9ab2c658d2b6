package adapters_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// threats maps each threat on the guard's list that an adapter could
// reintroduce to the rules that check it over the wire. Every adapter that
// passes the suite withstands these threats.
var threats = map[int][]string{
	6:   {"failure-undeclared"},
	8:   {"task-refused", "unknown-task"},
	11:  {"arguments-violations", "call-refused"},
	12:  {"arguments-case"},
	14:  {"arguments-duplicate"},
	16:  {"arguments-integers"},
	17:  {"arguments-huge"},
	20:  {"arguments-none", "arguments-not-object", "arguments-encoding"},
	23:  {"list-forbidden", "page-forbidden", "unknown-forbidden", "unknown-audited"},
	26:  {"list-permissions", "call-permissions", "call-no-permissions"},
	27:  {"identity-meta", "identity-client", "identity-arguments", "identity-params", "identity-session"},
	28:  {"state-revoked", "identity-revoked"},
	30:  {"key-revoked"},
	31:  {"call-rate-limit"},
	36:  {"dryrun-preview"},
	37:  {"dryrun-required"},
	41:  {"confirm-unsolicited"},
	42:  {"state-forged"},
	43:  {"state-forged"},
	44:  {"state-arguments"},
	47:  {"state-reused"},
	49:  {"state-caller", "state-tool", "state-server"},
	53:  {"confirm-declined", "confirm-cancelled"},
	54:  {"confirm-unclear"},
	55:  {"state-key"},
	56:  {"confirm-incapable"},
	57:  {"confirm-incapable"},
	63:  {"confirm-asked"},
	65:  {"stepup-address", "stepup-unproven"},
	66:  {"stepup-claimed"},
	67:  {"failure-panic", "failure-goexit"},
	70:  {"failure-timeout"},
	71:  {"cancel-write", "cancel-other", "end-call"},
	72:  {"key-replay", "key-failure"},
	74:  {"key-conflict"},
	75:  {"key-caller"},
	89:  {"failure-output"},
	90:  {"content-cleaned"},
	92:  {"failure-undeclared"},
	93:  {"audit-terminal", "audit-caller", "confirm-audited", "unknown-audited", "unparsable-audited"},
	106: {"confirm-open"},
	117: {"content-delimited"},
	118: {"confirm-capabilities"},
	121: {"confirm-links"},
	125: {"state-server"},
	128: {"meta-protocol", "meta-outcome"},
	130: {"cancel-read"},
	135: {"confirm-typed"},
}

// ofAdapters holds the other threats that are tested for one SDK or over all of
// them, because they concern what an SDK registers and wraps.
var ofAdapters = map[int]string{
	101: "tools beside those with contracts",
	116: "texts of tools that were written for the SDK",
	119: "functions of wrapped tools",
	122: "names in the arguments of wrapped tools",
	123: "handlers that are registered with another server",
	129: "numbers in the arguments of wrapped tools",
	131: "failures of wrapped tools",
	136: "rounds of wrapped tools",
	137: "responses for wrapped tools",
	138: "agents that call tools of an SDK",
	145: "defaults of wrapped tools",
	146: "wrapped tools that are registered again",
	227: "tools without a contract under Protect",
	228: "tools without a contract under Protect",
	229: "tools without a contract under Protect",
	147: "secrets of wrapped tools",
	148: "sessions of an SDK",
	149: "cancellations that an SDK passes on",
	153: "callers that change while a call waits",
	161: "confirmations that wrapped tools ask for",
	171: "the texts of a wrapped tool, over the wire",
	172: "a wrapped tool's own error results",
	196: "what a program prints over stdio",
	197: "the end of a session over stdio",
	212: "a tool beside those with contracts has the name of the guard's own",
}

func TestThreats_HaveRulesOrBelongToAnAdapter(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("../../../guard/testdata/threats.md")
	require.NoError(t, err)
	listed := numbers(t, regexp.MustCompile(`(?m)^(\d+)\. `), string(list))
	var names []string
	for _, r := range Rules() {
		names = append(names, r.Name)
	}
	for threat, rules := range threats {
		assert.Contains(t, listed, threat)
		for _, rule := range rules {
			assert.Contains(t, names, rule, "threat %d", threat)
		}
	}
	var files []string
	for _, folder := range []string{"../../../mcpgo", "../gosdk", "../sdks"} {
		found, err := filepath.Glob(folder + "/*_test.go")
		require.NoError(t, err)
		require.NotEmpty(t, found)
		files = append(files, found...)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, threat := range numbers(t, regexp.MustCompile(`(?m)^func TestThreat(\d+)_`), string(source)) {
			assert.True(t, threats[threat] != nil || ofAdapters[threat] != "", "%s tests threat %d, which has no rule", file, threat)
		}
	}
}

// numbers returns the first groups of all matches, without duplicates.
func numbers(t *testing.T, pattern *regexp.Regexp, text string) []int {
	t.Helper()
	var all []int
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		all = append(all, n)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
