package access

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

// An audience that was not set must not show its tools to everyone.
func TestAudience_ZeroIncludesNoAgentAndNoAnonymousCaller(t *testing.T) {
	t.Parallel()
	var zero Audience
	assert.False(t, zero.Includes(&contract.Principal{}), "anonymous")
	assert.False(t, zero.Includes(&contract.Principal{Issuer: "i", Subject: "s"}), "an agent")
}
