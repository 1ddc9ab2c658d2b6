// Package github puts contracts on the tools of
// github.com/github/github-mcp-server, which uses the official Go SDK.
package github

import (
	"encoding/json"

	rest "github.com/google/go-github/v89/github"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// New returns the server for the repositories that client reaches. Every call
// goes through g. The report lists what the contracts change for clients.
func New(g *guard.Guard, client *rest.Client) (*mcp.Server, *wrap.Report, error) {
	s, err := newUpstream(client, "all")
	if err != nil {
		return nil, nil, err
	}
	s.AddTool(deleteRepository(client))
	report, err := gosdk.WrapAll(s, g, rules(), gosdk.WithClosedWorld())
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
	write(risk.LowRiskWrite, "Changes the stars, notifications or forks of the user.",
		"star_repository", "unstar_repository", "dismiss_notification", "mark_all_notifications_read",
		"manage_notification_subscription",
		"manage_repository_notification_subscription", "create_branch", "fork_repository")
	write(risk.HighRiskWrite, "Changes issues, labels, projects or pull requests that others see.",
		"issue_write", "issue_dependency_write", "sub_issue_write", "add_sub_issue", "reprioritize_sub_issue", "set_issue_fields",
		"update_issue_assignees", "update_issue_labels", "update_issue_milestone", "update_issue_state", "update_issue_title",
		"update_issue_type", "update_pull_request", "update_pull_request_branch", "update_pull_request_draft_state",
		"update_pull_request_state", "update_pull_request_title", "add_comment_to_pending_review", "request_pull_request_reviewers",
		"resolve_review_thread", "unresolve_review_thread")
	write(risk.ExternalPublication, "Publishes code or text in the name of the user.",
		"add_issue_comment", "add_issue_comment_reaction", "add_issue_reaction", "add_pull_request_review_comment",
		"add_pull_request_review_comment_reaction", "add_reply_to_pull_request_comment", "create_issue", "create_pull_request",
		"create_pull_request_review", "submit_pending_pull_request_review", "pull_request_review_write", "merge_pull_request",
		"push_files", "create_or_update_file", "create_repository", "create_gist", "update_gist", "update_issue_body",
		"update_pull_request_body")
	write(risk.PaidOperation, "Uses paid requests.",
		"assign_copilot_to_issue", "assign_copilot_to_issue_with_intent", "request_copilot_review")
	write(risk.Destructive, "Deletes files, comments, labels, logs or project items.",
		"delete_file", "delete_pending_pull_request_review", "remove_sub_issue", "label_write", "discussion_comment_write",
		"projects_write", "actions_run_trigger")
	r.Tools["delete_repository"] = wrap.Rule{
		Base: contract.Base{
			Effect:      risk.Destructive,
			Permissions: []string{"github:delete"},
			SideEffects: []contract.SideEffect{{Description: "Deletes the repository with its issues and history."}},
			Idempotency: contract.Idempotency{Mode: idempotency.Keyed},
		},
		Declare: func(b *wrap.Builder) { b.ConfirmTyping(repositoryName) },
	}
	return r
}

// repositoryName returns the word that a person types to delete a repository.
func repositoryName(arguments json.RawMessage) string {
	var r repository
	if json.Unmarshal(arguments, &r) != nil {
		return ""
	}
	return r.Owner + "/" + r.Repo
}
