package mail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/risk"
)

func TestChangePermissions_SetsTheRole(t *testing.T) {
	t.Parallel()
	post := &Post{}
	for _, role := range []string{roleViewer, "admin"} {
		_, err := post.changePermissions(t.Context(), RoleChange{UserID: "u_1", Role: role})
		require.NoError(t, err)
		assert.Equal(t, role, post.Role("u_1"))
	}
	assert.Empty(t, post.Role("u_2"))
}

func TestRiskOfRole_IsLowerForAViewer(t *testing.T) {
	t.Parallel()
	assert.Equal(t, risk.High, riskOfRole(RoleChange{Role: roleViewer}).Risk)
	assert.Zero(t, riskOfRole(RoleChange{Role: "admin"}), "the declared risk holds")
}
