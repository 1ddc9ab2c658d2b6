package definition_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/internal/enum/enumtest"
)

func TestParameterType_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[definition.ParameterType](t, "parameter type", "", "string", "number", "boolean", "object", "array", "any")
}
