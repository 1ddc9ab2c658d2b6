package rules_test

import (
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

// harness is what the checks of these tests get.
type harness struct {
	value int
	hook  bool
}

func suite() rules.Suite[harness] {
	return rules.Suite[harness]{
		Name: "numbertest",
		Incomplete: func(h harness) string {
			if h.value < 0 {
				return "a value"
			}
			return ""
		},
		Checks: []rules.Check[harness]{
			{
				Name: "small", Explanation: "the value is below ten",
				Do: func(h harness) error {
					if h.value >= 10 {
						return rules.Broken("the value is %d", h.value)
					}
					return nil
				},
			},
			{
				Name: "even", Explanation: "the value is even",
				Do: func(h harness) error {
					if h.value%2 != 0 {
						return errors.New("the value is odd")
					}
					return nil
				},
				Missing: func(h harness) string {
					if !h.hook {
						return "Hook"
					}
					return ""
				},
			},
		},
	}
}

func messages(err error) []string {
	var all []string
	for _, e := range rules.Errors(err) {
		all = append(all, e.Error())
	}
	return all
}

func TestSuite_CheckReportsEveryRuleThatIsBroken(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		h    harness
		want []string
	}{
		"none": {harness{4, true}, nil},
		"both": {
			harness{11, true}, []string{"numbertest: small: the value is 11", "numbertest: even: the value is odd"},
		},
		"one whose hook is gone": {harness{11, false}, []string{"numbertest: small: the value is 11"}},
		"nothing to check": {
			harness{-1, true}, []string{"numbertest: small: the harness lacks a value", "numbertest: even: the harness lacks a value"},
		},
	} {
		err := suite().Check(func() harness { return tc.h })
		assert.Equal(t, tc.want, messages(err), name)
		assert.Equal(t, tc.want == nil, err == nil, name)
	}
	assert.Empty(t, rules.Errors(errors.New("another")))
}

func TestSuite_RunChecksEachRuleInASubtest(t *testing.T) {
	t.Parallel()
	var names []string
	t.Run("suite", func(t *testing.T) {
		suite().Run(t, func(t *testing.T) harness {
			names = append(names, t.Name())
			return harness{4, false}
		})
	})
	assert.Equal(t, []string{t.Name() + "/suite/small", t.Name() + "/suite/even"}, names)
	assert.Equal(t, []rules.Requirement{
		{Name: "small", Explanation: "the value is below ten"}, {Name: "even", Explanation: "the value is even"},
	}, suite().Rules())
}

func TestWithin(t *testing.T) {
	t.Parallel()
	what := func() string { return "Write" }
	own := errors.New("full")
	for name, tc := range map[string]struct {
		f         func() error
		result    error
		violation string
	}{
		"an error":  {func() error { return own }, own, ""},
		"success":   {func() error { return nil }, nil, ""},
		"a panic":   {func() error { panic("oh") }, nil, "Write panicked: oh"},
		"a Goexit":  {func() error { runtime.Goexit(); return nil }, nil, "Write ended its goroutine"},
		"no return": {func() error { time.Sleep(time.Hour); return nil }, nil, "Write did not return within 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				result, violation := rules.Within(time.Minute, what, tc.f)
				assert.Equal(t, tc.result, result)
				if tc.violation == "" {
					require.NoError(t, violation)
					return
				}
				require.Len(t, rules.Errors(violation), 1)
				assert.Equal(t, tc.violation, rules.Errors(violation)[0].Message)
				time.Sleep(2 * time.Hour) // until the hanging call has ended
			})
		})
	}
}
