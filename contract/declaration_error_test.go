package contract_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

func TestDeclarationError_StatesRuleClauseMessageAndRemedy(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*contract.DeclarationError{
		"contract: [name.missing] name: the tool has no name; call it": {Rule: "name.missing", Where: "name",
			Message: "the tool has no name", Remedy: "call it"},
		"contract: tool notes.read: [a.b]: it is wrong": {Rule: "a.b", Tool: "notes.read", Message: "it is wrong"},
	} {
		assert.EqualError(t, e, want)
		assert.NotErrorIs(t, e, errors.New("another"))
	}
}

func TestDeclarationErrors_FindsThemAllInOrder(t *testing.T) {
	t.Parallel()
	first, second, third := &contract.DeclarationError{Rule: "1"}, &contract.DeclarationError{Rule: "2"}, &contract.DeclarationError{
		Rule: "3"}
	other := errors.New("of another kind")
	for _, c := range []struct {
		name string
		err  error
		want []*contract.DeclarationError
	}{
		{"none in nil", nil, nil},
		{"none in an error of another kind", other, nil},
		{"none in a wrapped error of another kind", fmt.Errorf("serve: %w", other), nil},
		{"the error itself", first, []*contract.DeclarationError{first}},
		{"a wrapped one", fmt.Errorf("serve: %w", first), []*contract.DeclarationError{first}},
		{"those of nested joins", errors.Join(errors.Join(first, other), fmt.Errorf("serve: %w", errors.Join(second, third))),
			[]*contract.DeclarationError{first, second, third}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, contract.DeclarationErrors(c.err))
		})
	}
}

func TestBuild_NamesTheToolInMistakesOfASharedBase(t *testing.T) {
	t.Parallel()
	base := contract.Base{TypeSchemas: []contract.TypeSchema{{}}}
	build := func(name string) error {
		_, err := complete(contract.New(name, note)).Effect(risk.ReadOnly).From(base).Build()
		return err
	}
	one, two := build("notes.one"), build("notes.two")
	assert.Equal(t, "notes.one", contract.DeclarationErrors(one)[0].Tool)
	assert.Equal(t, "notes.two", contract.DeclarationErrors(two)[0].Tool)
}
