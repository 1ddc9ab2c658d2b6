package guard_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
)

type leaseInput struct {
	Room  string                       `json:"room"`
	For   contract.Duration            `json:"for"`
	Until *contract.Duration           `json:"until,omitzero" jsonschema:"nullable"`
	Parts []contract.Duration          `json:"parts,omitzero"`
	By    map[string]contract.Duration `json:"by,omitzero"`
	Pause contract.Duration            `json:"pause,omitzero" jsonschema:"default=90s"`
	Name  string                       `json:"name,omitzero"`
}

// Two spellings of a duration make the same call, wherever the duration is and
// however the call is recognised. A text that only looks like a duration
// doesn't count.
func TestThreat183_AnotherSpellingOfADurationIsTheSameCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arguments, again string
		other            bool
	}{
		"minutes":            {`{"room":"a","for":"PT3H"}`, `{"room":"a","for":"PT180M"}`, false},
		"days":               {`{"room":"a","for":"PT48H"}`, `{"room":"a","for":"P2D"}`, false},
		"weeks":              {`{"room":"a","for":"P2W"}`, `{"room":"a","for":"P14DT0S"}`, false},
		"a leading zero":     {`{"room":"a","for":"PT03H"}`, `{"room":"a","for":"PT3H"}`, false},
		"behind null":        {`{"room":"a","for":"PT1S","until":"PT60S"}`, `{"room":"a","for":"PT1S","until":"PT1M"}`, false},
		"in a list":          {`{"room":"a","for":"PT1S","parts":["PT1M","PT60S"]}`, `{"room":"a","for":"PT1S","parts":["PT60S","PT1M"]}`, false},
		"in a map":           {`{"room":"a","for":"PT1S","by":{"x":"PT1M"}}`, `{"room":"a","for":"PT1S","by":{"x":"PT60S"}}`, false},
		"a default":          {`{"room":"a","for":"PT1S"}`, `{"room":"a","for":"PT1S","pause":"PT90S"}`, false},
		"another duration":   {`{"room":"a","for":"PT3H"}`, `{"room":"a","for":"PT181M"}`, true},
		"a text, no format":  {`{"room":"a","for":"PT1S","name":"PT3H"}`, `{"room":"a","for":"PT1S","name":"PT180M"}`, true},
		"a member of a name": {`{"room":"a","for":"PT1S","by":{"PT1M":"PT1S"}}`, `{"room":"a","for":"PT1S","by":{"PT60S":"PT1S"}}`, true},
	} {
		for how, i := range map[string]contract.Idempotency{
			"all arguments": byArguments,
			"key fields": {
				Mode: idempotency.Managed, KeyFields: []string{"room", "for", "until", "parts", "by", "pause", "name"},
			},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				n := &counter{}
				lease := contract.New("rooms.lease", func(context.Context, leaseInput) (payOutput, error) {
					return payOutput{n.runs.Add(1)}, nil
				}).From(writing()).Idempotency(i).MustBuild()
				void, failed := voider("rooms.lease")
				k := newKit(t, []*contract.Tool{lease, void})
				first := k.call(alice, "rooms.lease", c.arguments)
				require.Equal(t, contract.StatusOK, first.Outcome.Status, first.Text)
				again := k.call(alice, "rooms.lease", c.again)
				if c.other {
					assert.Equal(t, contract.StatusOK, again.Outcome.Status, again.Text)
					return
				}
				assert.Equal(t, contract.StatusReplayed, again.Outcome.Status, again.Text)
				k.call(alice, "void.now", `{"key":`+c.again+`}`)
				require.NoError(t, *failed)
				k.call(alice, "rooms.lease", c.arguments)
				assert.EqualValues(t, 2, n.runs.Load(), "it was forgotten by its other spelling")
			})
		}
	}
}

// With a client's key, another spelling is not a conflict.
func TestThreat183_AnotherSpellingOfADurationIsNoConflict(t *testing.T) {
	t.Parallel()
	lease := contract.New("rooms.lease", func(context.Context, leaseInput) (payOutput, error) { return payOutput{1}, nil }).
		From(writing()).Idempotency(byClientKey).MustBuild()
	k := newKit(t, []*contract.Tool{lease})
	k.callKeyed(alice, "rooms.lease", `{"room":"a","for":"PT3H"}`, "k")
	again := k.callKeyed(alice, "rooms.lease", `{"room":"a","for":"PT180M"}`, "k")
	assert.Equal(t, contract.StatusReplayed, again.Outcome.Status, again.Text)
}

// A key that no call can have is a mistake: forgetting nothing would look like
// success.
func TestThreat184_AKeyOfAnotherTypeForgetsNothingAndSaysSo(t *testing.T) {
	t.Parallel()
	type orderInput struct {
		Shop  string            `json:"shop"`
		Order int64             `json:"order"`
		Lines []int64           `json:"lines,omitzero"`
		Wait  contract.Duration `json:"wait,omitzero"`
		Note  string            `json:"note"`
	}
	strict := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"shop", "order", "lines", "wait"}}
	const arguments = `{"shop":"a","order":7,"lines":[1],"wait":"PT3H","note":"n"}`
	for name, c := range map[string]struct {
		key     string
		lenient []contract.Leniency
		wrong   bool
	}{
		"as it was":              {`{"shop":"a","order":7,"lines":[1],"wait":"PT3H"}`, nil, false},
		"another spelling":       {`{"shop":"a","order":7.0,"lines":[1e0],"wait":"PT180M"}`, nil, false},
		"a text for a number":    {`{"shop":"a","order":"7","lines":[1],"wait":"PT3H"}`, nil, true},
		"null for a number":      {`{"shop":"a","order":null,"lines":[1],"wait":"PT3H"}`, nil, true},
		"an item of a list":      {`{"shop":"a","order":7,"lines":["1"],"wait":"PT3H"}`, nil, true},
		"an object":              {`{"shop":{"a":1},"order":7,"lines":[1],"wait":"PT3H"}`, nil, true},
		"no duration":            {`{"shop":"a","order":7,"lines":[1],"wait":"3h"}`, nil, true},
		"a text that calls send": {`{"shop":"a","order":"7","lines":[1],"wait":"PT3H"}`, []contract.Leniency{contract.TextAsNumber}, false},
		"no object":              {`[7]`, nil, true},
		"null":                   {`null`, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			pay := contract.New("pay.now", func(context.Context, orderInput) (payOutput, error) {
				return payOutput{n.runs.Add(1)}, nil
			}).From(writing()).Idempotency(strict).Lenient(c.lenient...).MustBuild()
			failed := new(error)
			void := contract.New("void.now", func(ctx context.Context, _ struct{}) (struct{}, error) {
				*failed = guard.Forget(ctx, "pay.now", json.RawMessage(c.key))
				return struct{}{}, nil
			}).From(writing()).MustBuild()
			k := newKit(t, []*contract.Tool{pay, void})
			require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", arguments).Outcome.Status)
			k.call(alice, "void.now", `{}`)
			k.call(alice, "pay.now", arguments)
			if c.wrong {
				require.Error(t, *failed)
				assert.NotContains(t, (*failed).Error(), "3h")
				assert.EqualValues(t, 1, n.runs.Load())
				return
			}
			require.NoError(t, *failed)
			assert.EqualValues(t, 2, n.runs.Load())
		})
	}
}
