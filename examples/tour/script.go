package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

// script returns the steps of the tour: the lists of three callers, then one
// call for each kind of outcome.
func script(s *setup) []step {
	return append(mailSteps(s), workshopSteps(s)...)
}

func mailSteps(s *setup) []step {
	const (
		draft    = `{"to": ["anna@example.com"], "subject": "Lunch", "body": "At noon?"}`
		campaign = `{"templateId": "tmpl_newsletter_q3", "segmentId": "seg_active_customers"}`
		later    = `{"to": ["anna@example.com"], "subject": "Lunch", "body": "At one?"}`
	)
	return []step{
		{
			theme:  themeBasics,
			title:  "Alice has all permissions, and still the forbidden tool is not listed",
			caller: "alice", client: s.alice,
			want: "accounts_change_permissions contacts_search emails_bulk_send emails_create_draft emails_send_external " +
				"files_create_download_link operations_get",
		},
		{
			theme:  themeBasics,
			title:  "Bob has only contacts:read, and sees the tool that it permits",
			caller: "bob", client: s.bob, want: "contacts_search",
		},
		{
			theme:  themeBasics,
			title:  "Without a token no tool is listed",
			caller: "anonymous", client: s.anonymous, want: "",
		},
		{
			theme:  themeBasics,
			title:  "A valid call",
			caller: "alice", client: s.alice, tool: "contacts_search", arguments: `{"query": "anna"}`, want: "ok",
		},
		{
			theme:  themeIdempotency,
			title:  "A write that needs no confirmation, with an idempotency key of the client",
			caller: "alice", client: s.alice, tool: "emails_create_draft", arguments: draft, key: "lunch-1", want: "ok",
		},
		{
			theme:  themeIdempotency,
			title:  "The same call again, as after a lost answer: a replay, without a second draft",
			caller: "alice", client: s.alice, tool: "emails_create_draft", arguments: draft, key: "lunch-1", want: "replayed",
			after: func(context.Context) error {
				if n := s.post.Drafts(); n != 1 {
					return fmt.Errorf("there are %d drafts", n)
				}
				return nil
			},
		},
		{
			theme:  themeIdempotency,
			title:  "Another email with that key is refused, and the answer reveals nothing about the first",
			caller: "alice", client: s.alice, tool: "emails_create_draft", arguments: later, key: "lunch-1",
			want: contract.CodeKeyConflict, never: "draft_",
		},
		{
			theme:  themeArguments,
			title:  "All mistakes in the arguments at once, each with a pointer and without its value",
			caller: "alice", client: s.alice, tool: "emails_create_draft",
			arguments: `{"to": [], "subject": 7, "bdy": "At noon?"}`, want: contract.CodeInvalidInput,
			never: "At noon?",
		},
		{
			theme:  themePermissions,
			title:  "An anonymous caller",
			caller: "anonymous", client: s.anonymous, tool: "contacts_search", arguments: `{"query": "anna"}`,
			want: contract.CodeUnauthenticated,
		},
		{
			theme:  themePermissions,
			title:  "A caller without the permission",
			caller: "bob", client: s.bob, tool: "emails_create_draft", arguments: draft, want: contract.CodePermissionDenied,
		},
		{
			theme:  themePermissions,
			title:  "No caller can find a forbidden tool",
			caller: "alice", client: s.alice, tool: "secrets_read_private_key", arguments: `{}`, want: unknownTool,
		},
		{
			theme:  themePermissions,
			title:  "An unknown name gets the same answer",
			caller: "alice", client: s.alice, tool: "secrets_read_publicity_key", arguments: `{}`, want: unknownTool,
		},
		{
			theme:  themeConfirmation,
			title:  "A critical tool needs the confirmation of a person; this client cannot ask one",
			caller: "alice", client: s.alice, tool: "emails_send_external", arguments: draft,
			want: contract.CodeConfirmationRequired,
		},
		{
			theme:  themeConfirmation,
			title:  "Another client can ask, and the person approves exactly this call",
			caller: "alice", client: s.asking, tool: "emails_send_external", arguments: draft, before: s.person.answers(true),
			want: "ok", events: 4,
		},
		{
			theme:  themeConfirmation,
			title:  "The person declines",
			caller: "alice", client: s.asking, tool: "emails_send_external", arguments: later, before: s.person.answers(false),
			want: contract.CodeConfirmationDeclined, events: 3,
		},
		{
			theme:  themeConfirmation,
			title:  "A forged confirmation",
			caller: "alice", client: s.forging, tool: "emails_send_external", arguments: draft, want: rejectedState,
		},
		{
			theme:  themeDryRun,
			title:  "A campaign needs a dry run first",
			caller: "alice", client: s.alice, tool: "emails_bulk_send", arguments: campaign, want: contract.CodeDryRunRequired,
		},
		{
			theme:  themeDryRun,
			title:  "A dry run returns a preview and changes nothing",
			caller: "alice", client: s.alice, tool: "emails_bulk_send",
			arguments: `{"templateId": "tmpl_newsletter_q3", "segmentId": "seg_active_customers", "dryRun": true}`, want: "dry-run",
			after: func(context.Context) error {
				if n := s.post.Campaigns(); n != 0 {
					return fmt.Errorf("there are %d campaigns", n)
				}
				return nil
			},
		},
		{
			theme:  themeFailures,
			title:  "A declared failure that the model can correct",
			caller: "alice", client: s.alice, tool: "emails_create_draft",
			arguments: `{"to": ["ann@invalid.example"], "subject": "Lunch", "body": "At noon?"}`, want: "invalid_recipient",
		},
		{
			theme:  themeFailures,
			title:  "A declared failure that should end the run",
			caller: "alice", client: s.alice, tool: "emails_create_draft",
			arguments: `{"to": ["anna@example.com"], "subject": "Lunch [relay-down]", "body": "At noon?"}`, want: "relay_down",
		},
	}
}

func workshopSteps(s *setup) []step {
	down := func(is bool) func(context.Context) error {
		return func(context.Context) error {
			s.journal.setDown(is)
			return nil
		}
	}
	return []step{
		{
			theme:  themeResults,
			title:  "Untrusted text is sanitised and marked as data",
			behind: "the note is " + strconv.QuoteToASCII(hostileNote),
			caller: "alice", client: s.workshop, tool: "notes_read", arguments: `{}`, want: "ok", never: "\x1b",
		},
		{
			theme:  themeFailures,
			title:  "The text of an undeclared error does not leave the server",
			behind: "the handler returns " + strconv.Quote(databaseError),
			caller: "alice", client: s.workshop, tool: "notes_count", arguments: `{}`, want: contract.CodeInternalError,
			never: "10.0.0.3",
		},
		{
			theme:  themeFailures,
			title:  "A panic becomes an ordinary error",
			behind: "the handler writes to a nil map",
			caller: "alice", client: s.workshop, tool: "notes_index", arguments: `{}`, want: contract.CodeInternalError,
			never: "nil map",
		},
		{
			theme:  themeLimits,
			title:  "A handler exceeds its timeout: the caller gets an answer, and the late end is recorded",
			behind: "the handler ignores its context and ends after the answer",
			caller: "alice", client: s.workshop, tool: "reports_build", arguments: `{}`, want: contract.CodeTimeout, events: 2,
			after: func(context.Context) error { close(s.shop.slow); return nil },
		},
		{
			theme:  themeResults,
			title:  "A result that violates the output schema does not leave the server",
			behind: `the handler returns the state "half open"`,
			caller: "alice", client: s.workshop, tool: "reports_state", arguments: `{}`, want: contract.CodeOutputInvalid,
			never: "half open",
		},
		busyTool(s),
		{
			theme:  themeLimits,
			title:  "A call that the rate limit still allows",
			caller: "alice", client: s.workshop, tool: "weather_read", arguments: `{}`, want: "ok",
		},
		{
			theme:  themeLimits,
			title:  "The next call exceeds the limit, and the answer has the time to wait",
			caller: "alice", client: s.workshop, tool: "weather_read", arguments: `{}`, want: contract.CodeRateLimitExceeded,
		},
		retryBudget(s),
		{
			theme:  themeResolve,
			title:  "A harmless call of a destructive tool needs no confirmation",
			caller: "alice", client: s.workshop, tool: "machine_use", arguments: `{"action": "look"}`, want: "ok",
		},
		{
			theme:  themeResolve,
			title:  "With other arguments the declared risk holds, and the call needs a confirmation",
			caller: "alice", client: s.workshop, tool: "machine_use", arguments: `{"action": "scrap"}`,
			want: contract.CodeConfirmationRequired,
		},
		{
			theme:  themeResolve,
			title:  "A call cannot have a higher risk than the contract declares",
			behind: "for these arguments the tool author's function returns restricted",
			caller: "alice", client: s.workshop, tool: "machine_use", arguments: `{"action": "sell"}`, want: contract.CodeInternalError,
		},
		{
			theme:  themeStepUp,
			title:  "After an old authentication, the answer names what is missing",
			caller: "alice", client: s.workshop, tool: "safe_open", arguments: `{}`, want: contract.CodeStepUpRequired,
		},
		{
			theme:  themeAudit,
			title:  "If the audit log cannot be written, a high-risk tool does not run",
			behind: "the audit hook returns an error",
			caller: "alice", client: s.workshop, tool: "ledger_close", arguments: `{}`, want: contract.CodeUnavailable, events: 2,
			before: down(true),
		},
		{
			theme:  themeNames,
			title:  "A deprecated name still works, and the outcome has the new one",
			caller: "alice", client: s.workshop, tool: "numbers_add", arguments: `{"numbers": [20, 22]}`, want: "ok",
			before: down(false),
		},
	}
}

// retryBudget calls a tool that has failed too often in the same way.
func retryBudget(s *setup) step {
	const retries = 5 // of the guard, if no contract and no option sets them
	const tool = "reports_print"
	return step{
		theme:  themeLimits,
		title:  "The same failing call, once too often",
		behind: fmt.Sprintf("the same call has failed %d times", retries),
		caller: "alice", client: s.workshop, tool: tool, arguments: `{}`, want: contract.CodeRetryBudgetExhausted,
		before: func(ctx context.Context) error {
			mark := s.journal.mark()
			for range retries {
				if _, err := s.workshop.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool}}); err != nil {
					return err
				}
			}
			_, err := s.journal.since(ctx, mark, retries)
			return err
		},
	}
}

// busyTool calls a tool that runs once at a time while it is running.
func busyTool(s *setup) step {
	first := make(chan error, 1)
	return step{
		theme:  themeLimits,
		title:  "A tool that runs once at a time is busy",
		behind: "an earlier call of the tool is still running",
		caller: "alice", client: s.workshop, tool: "jobs_run", arguments: `{}`, want: contract.CodeUnavailable, events: 2,
		before: func(ctx context.Context) error {
			go func() {
				_, err := s.workshop.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "jobs_run"}})
				first <- err
			}()
			select {
			case <-s.shop.started:
				return nil
			case <-ctx.Done():
				return fmt.Errorf("the first call did not start: %w", ctx.Err())
			}
		},
		after: func(ctx context.Context) error {
			close(s.shop.job)
			return <-first
		},
	}
}
