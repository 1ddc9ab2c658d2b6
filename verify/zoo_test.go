package verify_test

import (
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo/zoodb"
)

// ruleOf maps the zoo's rules to those of this package.
var ruleOf = map[string]string{
	zoo.RuleReadOnlyEffect:        "readonly.effect",
	zoo.RuleIdempotentSecond:      "idempotent.secondEffect",
	zoo.RuleIdempotentAnswer:      "idempotent.secondAnswer",
	zoo.RuleIdempotentRanTwice:    "idempotent.ranTwice",
	zoo.RuleDryRunEffect:          "dryrun.effect",
	zoo.RuleDryRunPreview:         "dryrun.previewDiffers",
	zoo.RuleReachExternal:         "reach.external",
	zoo.RuleFailureUndeclared:     "failure.undeclared",
	zoo.RuleOutputInvalid:         "output.invalid",
	zoo.RuleLeak:                  "secret.leak",
	zoo.RuleInvalidReachedHandler: "invalid.reachedHandler",
	zoo.RuleResolveHigher:         "resolve.higher",
	zoo.RuleResolveLower:          "resolve.lower",
	zoo.RuleDeadlineIgnored:       "deadline.ignored",
	zoo.RuleSize:                  "output.size",
	zoo.RuleControlCharacters:     "output.controlCharacters",
	zoo.RulePanic:                 "handler.panic",
}

// missed lists the lies that package verify cannot see in the zoo's cases, with
// the reason.
var missed = map[string]string{
	"rare_failure_not_declared":   "no case has the text",
	"pattern_that_nothing_checks": "the conclusion is unknown, because the validator cannot read the pattern",
	"member_without_a_schema":     "the schema accepts the member",
}

// missedWithoutKernel lists the lies that only the kernel sees.
var missedWithoutKernel = map[string]string{
	"write_with_swallowed_error": "nothing is written",
	"metrics_over_udp":           "a datagram is no HTTP request",
	"run_starts_a_program":       "the program changes nothing",
	"touch_changes_times":        "folders are compared without their times",
	"search_phones_home":         "the connection is no HTTP request",
}

// observeZoo observes one tool of the zoo, each time in a fresh environment.
func observeZoo(t *testing.T, e zoo.Entry, open func(zoo.Env) zoo.Subject, options ...verify.Option) verify.Observation {
	t.Helper()
	var log verify.Log
	web := new(verify.Transport)
	subject := func(t testing.TB) (zoo.Env, zoo.Subject) {
		parts := zoo.Parts{Transport: web, Log: slog.New(slog.NewTextHandler(&log, nil))}
		if e.NeedsDB {
			parts.DB = zoodb.Open(t)
		}
		env := zoo.NewEnv(t, parts)
		return env, open(env)
	}
	_, first := subject(t)
	options = append(options, verify.WithTransport(web), verify.WithLog(&log),
		verify.WithFixture(func(t testing.TB) verify.Fixture {
			env, s := subject(t)
			return verify.Fixture{Tool: s.Tool, State: s.State, Folders: []string{env.Root, env.Temp}}
		}))
	for _, c := range first.CasesOf() {
		options = append(options, verify.Case{Input: c.Input, As: c.As})
	}
	return verify.Observe(t, first.Tool, options...)
}

// reconcileOf returns what CheckIdempotency concludes about the Reconcile of a
// tool of the zoo.
func reconcileOf(t *testing.T, open func(zoo.Env) zoo.Subject) string {
	t.Helper()
	fresh := func(t testing.TB) zoo.Subject { return open(zoo.NewEnv(t, zoo.Parts{})) }
	first := fresh(t)
	options := []verify.Option{
		verify.WithCallers(zoo.Anna),
		verify.WithFixture(func(t testing.TB) verify.Fixture { return verify.Fixture{Tool: fresh(t).Tool} }),
	}
	for _, c := range first.CasesOf() {
		options = append(options, verify.Case{Input: c.Input})
	}
	text := failtest.Text(t, func(t testing.TB) { verify.CheckIdempotency(t, first.Tool, options...) })
	switch {
	case text == "":
		return zoo.Consistent
	case strings.Contains(text, "contradicted [reconcile.untrue]"):
		return zoo.Contradicted
	}
	return text
}

func TestTool_ContradictsEachLieOfTheZooAndNoTwin(t *testing.T) {
	t.Parallel()
	answers, all := map[string]zoo.Answers{}, 0
	for name, options := range map[string][]verify.Option{
		"here": nil, "without the kernel": {verify.WithoutKernel()},
	} {
		for _, e := range zoo.All() {
			rule, judged := ruleOf[e.Rule]
			if !judged { // a note, or a rule about sequences
				continue
			}
			answer := zoo.Answers{}
			t.Run(name+"/"+e.Name+"/lying", func(t *testing.T) {
				v := observeZoo(t, e, e.Lying, options...)
				answer.Lying = string(conclusion(v, rule))
				why := missed[e.Name]
				if v.NoKernel != "" {
					why += missedWithoutKernel[e.Name]
				}
				if why != "" {
					assert.NotEqual(t, verify.Contradicted, conclusion(v, rule), "%s\n%s", why, v)
					return
				}
				assert.Equal(t, verify.Contradicted, conclusion(v, rule), "%s", v)
			})
			t.Run(name+"/"+e.Name+"/honest", func(t *testing.T) {
				v := observeZoo(t, e, e.Honest, options...)
				answer.Honest = string(conclusion(v, rule))
				assert.Empty(t, contradicted(v), "%s", v)
			})
			if options == nil {
				all++
				if answer.Lying != "" {
					answers[e.Name] = answer
				}
			}
		}
	}
	for _, e := range zoo.All() {
		if e.Rule == zoo.RuleReconcileUntrue {
			answers[e.Name] = zoo.Answers{Lying: reconcileOf(t, e.Lying), Honest: reconcileOf(t, e.Honest)}
			assert.Equal(t, zoo.Answers{Lying: zoo.Contradicted, Honest: zoo.Consistent}, answers[e.Name], e.Name)
			all++
		}
	}
	// A child process runs a single subtest, and other systems have fewer
	// witnesses.
	if len(answers) == all && runtime.GOOS == "linux" {
		zoo.Record(t, "verify", answers)
	}
}
