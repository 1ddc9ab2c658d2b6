package contract_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// What a form cannot express is found at Build, with its field.
func TestAsks_AFormIsFlatAndKeptApartFromTheGuards(t *testing.T) {
	t.Parallel()
	type inner struct {
		A string `json:"a"`
	}
	for name, c := range map[string]struct {
		form  any
		where string
	}{
		"a list": {struct {
			A []string `json:"a"`
		}{}, "Asks a"},
		"a struct": {struct {
			A inner `json:"a"`
		}{}, "Asks a"},
		"a duration": {struct {
			A contract.Duration `json:"a"`
		}{}, "Asks a"},
		"a pattern": {struct {
			A string `json:"a" jsonschema:"pattern=^x$"`
		}{}, "Asks a"},
		"a step": {struct {
			A int `json:"a" jsonschema:"multipleOf=2"`
		}{}, "Asks a"},
		"an unknown format": {struct {
			A string `json:"a" jsonschema:"format=uuid"`
		}{}, "Asks a"},
		"a secret": {struct {
			A string `json:"a" contract:"secret"`
		}{}, "Asks a"},
		"the guard's word": {struct {
			A string `json:"word"`
		}{}, "Asks word"},
		"the guard's answer": {struct {
			A bool `json:"confirm"`
		}{}, "Asks confirm"},
	} {
		_, err := reading().Asks(1, c.form).Build()
		all := contract.DeclarationErrors(err)
		if assert.Len(t, all, 1, "%s: %v", name, err) {
			assert.Equal(t, c.where, all[0].Where, name)
		}
	}
	for _, times := range []int{-1, 0, 11} {
		_, err := reading().Asks(times).Build()
		all := contract.DeclarationErrors(err)
		if assert.Len(t, all, 1, "%d: %v", times, err) {
			assert.Equal(t, "asks.number", all[0].Rule)
		}
	}
	for name, form := range map[string]any{
		"no struct": "text", "nothing": nil, "no fields": struct{}{}, "a map": map[string]string{},
	} {
		_, err := reading().Asks(1, form).Build()
		assert.Len(t, contract.DeclarationErrors(err), 1, "%s: %v", name, err)
	}
	_, err := reading().Asks(10, struct {
		Text  string    `json:"text" jsonschema:"minLength=2,maxLength=20,description=A text."`
		Kind  string    `json:"kind" jsonschema:"enum=a,enum=b"`
		Mail  string    `json:"mail,omitempty" jsonschema:"format=email"`
		At    time.Time `json:"at,omitzero"`
		Count int       `json:"count" jsonschema:"minimum=1,maximum=9"`
		Part  float64   `json:"part,omitempty"`
		Fast  bool      `json:"fast,omitempty" jsonschema:"default=true"`
	}{}).Build()
	assert.NoError(t, err)
}

// The codes of a question are published, so that callers can expect them.
func TestAsks_PublishesTheCodesOfAQuestion(t *testing.T) {
	t.Parallel()
	codes := func(tool *contract.Tool) (all []string) {
		for _, m := range tool.Document().FailureModes {
			all = append(all, m.Code)
		}
		return all
	}
	own := []string{contract.CodeConfirmationRequired, contract.CodeConfirmationDeclined}
	assert.Subset(t, codes(reading().Asks(1).MustBuild()), own)
	for _, code := range own {
		assert.NotContains(t, codes(reading().MustBuild()), code)
	}
	once := map[string]int{}
	for _, code := range codes(reading().Asks(1).ConfirmAlways().MustBuild()) {
		once[code]++
	}
	assert.Equal(t, 1, once[contract.CodeConfirmationRequired])
	assert.Equal(t, 1, once[contract.CodeConfirmationDeclined])
}

// A handler that a test calls by itself has no client to ask.
func TestAsk_OutsideACallHasNobodyToAsk(t *testing.T) {
	t.Parallel()
	type name struct {
		Name string `json:"name"`
	}
	_, err := contract.Ask[name](context.Background(), "Who?")
	failed, ok := errors.AsType[*contract.Error](err)
	require.True(t, ok)
	assert.Equal(t, contract.CodeConfirmationRequired, failed.Code())

	_, err = contract.Sample(context.Background(), "Write.", 10)
	failed, ok = errors.AsType[*contract.Error](err)
	require.True(t, ok)
	assert.Equal(t, contract.CodeConfirmationRequired, failed.Code())

	for what, ask := range map[string]func() error{
		"a form of a list": func() error { _, err := contract.Ask[[]string](context.Background(), "Who?"); return err },
		"an empty message": func() error { _, err := contract.Ask[name](context.Background(), " \n"); return err },
		"a long message": func() error {
			_, err := contract.Ask[name](context.Background(), string(make([]byte, 4<<10+1)))
			return err
		},
		"no prompt": func() error { _, err := contract.Sample(context.Background(), "", 10); return err },
		"a long prompt": func() error {
			_, err := contract.Sample(context.Background(), strings.Repeat("x", 32<<10+1), 10)
			return err
		},
		"no tokens":   func() error { _, err := contract.Sample(context.Background(), "Write.", 0); return err },
		"many tokens": func() error { _, err := contract.Sample(context.Background(), "Write.", 4097); return err },
	} {
		failed, ok := errors.AsType[*contract.Error](ask())
		require.True(t, ok, what)
		assert.Equal(t, contract.CodeInternalError, failed.Code(), what)
	}
}
