package effectcheck_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/verify/effectcheck"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

func reported() effectcheck.Analysis {
	return effectcheck.Analysis{
		Tools: []string{"mail.read", "mail.search", "mail.wipe"},
		Effects: []effectcheck.Effect{
			{Tool: "mail.read", Part: "handler", Capability: "FILES/READ", Conclusion: effectcheck.Consistent},
			{Tool: "mail.search", Part: "handler", Capability: "NETWORK/POST", Conclusion: effectcheck.Unknown,
				Rule: "readonly.effect"},
			{Tool: "mail.wipe", Part: "dry run", Capability: "FILES/WRITE", Conclusion: effectcheck.Contradicted,
				Rule: "dryrun.effect"},
		},
	}
}

func failuresOf(r effectcheck.Analysis) int {
	tb := &failtest.T{}
	r.Assert(tb)
	return len(tb.Errors)
}

func TestReport_UnknownAndContradictedFail(t *testing.T) {
	t.Parallel()
	r := reported()
	assert.Equal(t, 2, failuresOf(r))
	assert.Equal(t, effectcheck.Consistent, r.Conclusion("mail.read"))
	assert.Equal(t, effectcheck.Unknown, r.Conclusion("mail.search"))
	assert.Equal(t, effectcheck.Contradicted, r.Conclusion("mail.wipe"))
	assert.Equal(t, effectcheck.Conclusion(""), r.Conclusion("mail.send"), "it was not analyzed")
}

func TestReport_AnAllowanceIsForItsToolAndCapability(t *testing.T) {
	t.Parallel()
	r := reported()
	allowed := r.Allow("NETWORK/POST", "The search is a POST.", "mail.search")
	assert.Equal(t, 1, failuresOf(allowed))
	assert.Equal(t, effectcheck.Consistent, allowed.Conclusion("mail.search"))
	assert.Equal(t, 2, failuresOf(r), "the report that was allowed is unchanged")
	assert.Equal(t, 0, failuresOf(allowed.Allow("FILES/WRITE", "A cache.")))
}

func TestReport_AnAllowanceNeedsAReasonAndAFinding(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]effectcheck.Analysis{
		"no reason":            reported().Allow("NETWORK/POST", " ", "mail.search"),
		"another tool":         reported().Allow("NETWORK/POST", "A reason.", "mail.read"),
		"a consistent finding": reported().Allow("FILES/READ", "A reason.", "mail.read"),
		"no tool at all":       reported().Allow("EXEC", "A reason."),
	} {
		assert.Equal(t, 3, failuresOf(r), name)
		assert.Len(t, r.Mistakes, 1, name)
	}
}

func TestReport_CapabilitiesHaveEveryTool(t *testing.T) {
	t.Parallel()
	r := reported()
	r.Tools = append(r.Tools, "mail.count")
	assert.Equal(t, map[string][]string{
		"mail.read": {"FILES/READ"}, "mail.search": {"NETWORK/POST"}, "mail.wipe": {"dry run: FILES/WRITE"}, "mail.count": {},
	}, r.Capabilities())
}
