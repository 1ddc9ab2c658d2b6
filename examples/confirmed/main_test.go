package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestServer_TakesTheFlagOfThePage(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	assert.Equal(t, 2, server().Main([]string{"-approvals"}, &out, &errs), "a mistyped flag")
	assert.Contains(t, errs.String(), "-approval")
}
