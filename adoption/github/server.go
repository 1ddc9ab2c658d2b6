// Package github puts contracts on the tools of
// github.com/github/github-mcp-server, which reads and changes repositories.
package github

import (
	rest "github.com/google/go-github/v74/github"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// New returns the server for the repositories that client reaches. Every call
// goes through g. The report lists what the contracts change for clients.
func New(g *guard.Guard, client *rest.Client) (*server.MCPServer, *wrap.Report, error) {
	s, err := upstream(client)
	if err != nil {
		return nil, nil, err
	}
	report, err := mcpgo.WrapAll(s, g, rules(), mcpgo.WithClosedWorld())
	return s, report, err
}

// rules declares the writes. The reads need no rules, because the upstream
// marks each of them with readOnlyHint.
func rules() wrap.Rules {
	r := wrap.Rules{
		Base: contract.Base{
			Version:     "1.0.0",
			Trust:       trust.Untrusted,
			Permissions: []string{"github:read"},
			OtherErrors: contract.ClassFatal,
		},
		Tools: map[string]wrap.Rule{},
	}
	write := func(effect risk.Effect, description string, names ...string) {
		base := contract.Base{
			Effect:      effect,
			SideEffects: []contract.SideEffect{{Description: description}},
			Permissions: []string{"github:write"},
			Idempotency: contract.Idempotency{Mode: idempotency.Keyed},
		}
		for _, name := range names {
			r.Tools[name] = wrap.Rule{Base: base}
		}
	}
	write(risk.LowRiskWrite, "Changes the stars, notifications or projects of the user.",
		"star_repository", "unstar_repository", "dismiss_notification", "mark_all_notifications_read",
		"manage_notification_subscription",
		"manage_repository_notification_subscription", "add_project_item", "update_project_item", "create_branch", "fork_repository")
	write(risk.HighRiskWrite, "Changes issues, labels, pull requests or runs that others see.",
		"issue_write", "sub_issue_write", "label_write", "update_pull_request", "update_pull_request_branch",
		"add_comment_to_pending_review", "cancel_workflow_run")
	write(risk.ExternalPublication, "Publishes code or text in the name of the user.",
		"add_issue_comment", "create_pull_request", "pull_request_review_write", "merge_pull_request", "push_files",
		"create_or_update_file", "create_repository", "create_gist", "update_gist")
	write(risk.PaidOperation, "Uses paid minutes or requests.",
		"run_workflow", "rerun_workflow_run", "rerun_failed_jobs", "assign_copilot_to_issue", "request_copilot_review")
	write(risk.Destructive, "Deletes files, logs or project items.",
		"delete_file", "delete_workflow_run_logs", "delete_project_item")
	return r
}
