package mail

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// roleViewer is the role that can only read.
const roleViewer = "viewer"

// A RoleChange holds the arguments of accounts.change_permissions, and is its
// result.
type RoleChange struct {
	UserID string `json:"userId" jsonschema:"minLength=1,maxLength=100" jsonschema_description:"Id of the user whose role is set."`
	Role   string `json:"role" jsonschema:"enum=viewer,enum=admin" jsonschema_description:"The role to give."`
}

func (p *Post) changePermissions(_ context.Context, in RoleChange) (RoleChange, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.roles == nil {
		p.roles = map[string]string{}
	}
	p.roles[in.UserID] = in.Role
	return in, nil
}

// Role returns the role of a user, or "" if none was set.
func (p *Post) Role(userID string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.roles[userID]
}

// riskOfRole lowers the risk of a call that makes a user a viewer. The contract
// declares the highest risk of the tool, that of making an admin.
func riskOfRole(in RoleChange) contract.Resolution {
	if in.Role == roleViewer {
		return contract.Resolution{Risk: risk.High}
	}
	return contract.Resolution{}
}

func (p *Post) accountsChangePermissions() (*contract.Tool, error) {
	return contract.New("accounts.change_permissions", p.changePermissions).
		Title("Change role").
		Description("Gives a user a role: viewer, or admin, who may do everything.").
		Version("1.0.0").
		Category("accounts").
		Effect(risk.HighRiskWrite).
		Risk(risk.Critical).
		Resolve(contract.Least{Risk: risk.High}, riskOfRole).
		Trust(trust.Trusted).
		Reads(contract.PublicData). // the result repeats the arguments
		Permissions("accounts:admin").
		SideEffects(contract.SideEffect{
			Description: "The user can do what the role allows, from now on.",
			Reach:       contract.Internal,
			Undo:        contract.Reversible,
			OnRepeat:    "None: the user has the role already.",
			Affects:     "The user.",
		}).
		Idempotency(contract.Idempotency{Mode: idempotency.Native}).
		AuditEvent("account.permissions.changed").
		Build()
}
