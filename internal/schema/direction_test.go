package schema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/schema"
)

func TestDirection_HasAName(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "undeclared", schema.Undeclared.String())
	assert.Equal(t, "input", schema.Input.String())
	assert.Equal(t, "output", schema.Output.String())
	assert.Equal(t, "direction(7)", schema.Direction(7).String())
}
