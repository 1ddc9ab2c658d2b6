package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
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
			title:  "Alice may use everything; the forbidden tool is not there even for her",
			caller: "alice", client: s.alice, want: "accounts.change_permissions contacts.search emails.bulk_send emails.create_draft emails.send_external files.create_download_link",
		},
		{
			title:  "Bob holds contacts:read, and sees what that permits",
			caller: "bob", client: s.bob, want: "contacts.search",
		},
		{
			title:  "Without a token there is nothing to see",
			caller: "anonymous", client: s.anonymous, want: "",
		},
		{
			title:  "A call that keeps the contract",
			caller: "alice", client: s.alice, tool: "contacts.search", arguments: `{"query": "anna"}`, want: "ok",
		},
		{
			title:  "A write that an agent may do alone, under a key that the client chose",
			caller: "alice", client: s.alice, tool: "emails.create_draft", arguments: draft, key: "lunch-1", want: "ok",
		},
		{
			title:  "The same once more, as after a lost answer: the first answer again, and no second draft",
			caller: "alice", client: s.alice, tool: "emails.create_draft", arguments: draft, key: "lunch-1", want: "replayed",
			after: func(context.Context) error {
				if n := s.post.Drafts(); n != 1 {
					return fmt.Errorf("there are %d drafts", n)
				}
				return nil
			},
		},
		{
			title:  "Another email under that key is a mistake, and learns nothing of the first",
			caller: "alice", client: s.alice, tool: "emails.create_draft", arguments: later, key: "lunch-1",
			want: contract.CodeKeyConflict, never: "draft_",
		},
		{
			title:  "Every mistake in the arguments at once, each with a pointer, none with its value",
			caller: "alice", client: s.alice, tool: "emails.create_draft",
			arguments: `{"to": [], "subject": 7, "bdy": "At noon?"}`, want: contract.CodeInvalidInput,
			never: "At noon?",
		},
		{
			title:  "Nobody",
			caller: "anonymous", client: s.anonymous, tool: "contacts.search", arguments: `{"query": "anna"}`,
			want: contract.CodeUnauthenticated,
		},
		{
			title:  "Somebody else",
			caller: "bob", client: s.bob, tool: "emails.create_draft", arguments: draft, want: contract.CodePermissionDenied,
		},
		{
			title:  "A forbidden tool cannot be found, whoever asks",
			caller: "alice", client: s.alice, tool: "secrets.read_private_key", arguments: `{}`, want: unknownTool,
		},
		{
			title:  "It answers as a name that does not exist",
			caller: "alice", client: s.alice, tool: "secrets.read_publicity_key", arguments: `{}`, want: unknownTool,
		},
		{
			title:  "A critical tool always asks a person; where nobody can be asked it does not run",
			caller: "alice", client: s.alice, tool: "emails.send_external", arguments: draft,
			want: contract.CodeConfirmationRequired,
		},
		{
			title:  "A client that can ask does, and the person agrees to exactly this",
			caller: "alice", client: s.asking, tool: "emails.send_external", arguments: draft, before: s.person.answers(true),
			want: "ok", events: 3,
		},
		{
			title:  "The person says no",
			caller: "alice", client: s.asking, tool: "emails.send_external", arguments: later, before: s.person.answers(false),
			want: contract.CodeConfirmationDeclined, events: 2,
		},
		{
			title:  "A yes that nobody was asked for",
			caller: "alice", client: s.forging, tool: "emails.send_external", arguments: draft, want: rejectedState,
		},
		{
			title:  "A campaign has to be tried first",
			caller: "alice", client: s.alice, tool: "emails.bulk_send", arguments: campaign, want: contract.CodeDryRunRequired,
		},
		{
			title:  "A dry run says what would happen, and nothing has",
			caller: "alice", client: s.alice, tool: "emails.bulk_send",
			arguments: `{"templateId": "tmpl_newsletter_q3", "segmentId": "seg_active_customers", "dryRun": true}`, want: "dry-run",
			after: func(context.Context) error {
				if n := s.post.Campaigns(); n != 0 {
					return fmt.Errorf("there are %d campaigns", n)
				}
				return nil
			},
		},
		{
			title:  "A declared failure that the model can correct",
			caller: "alice", client: s.alice, tool: "emails.create_draft",
			arguments: `{"to": ["ann@invalid.example"], "subject": "Lunch", "body": "At noon?"}`, want: "invalid_recipient",
		},
		{
			title:  "A declared failure that should end the run",
			caller: "alice", client: s.alice, tool: "emails.create_draft",
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
			title:  "Foreign text is cleaned, and marked as data",
			behind: "the note is " + strconv.QuoteToASCII(hostileNote),
			caller: "alice", client: s.workshop, tool: "notes.read", arguments: `{}`, want: "ok", never: "\x1b",
		},
		{
			title:  "An error that was not declared leaves without its text",
			behind: "the handler returns " + strconv.Quote(databaseError),
			caller: "alice", client: s.workshop, tool: "notes.count", arguments: `{}`, want: contract.CodeInternalError,
			never: "10.0.0.3",
		},
		{
			title:  "A panic is an answer like any other",
			behind: "the handler writes to a nil map",
			caller: "alice", client: s.workshop, tool: "notes.index", arguments: `{}`, want: contract.CodeInternalError,
			never: "nil map",
		},
		{
			title:  "A handler that overruns its time is answered for, and its end is still recorded",
			behind: "the handler ignores its context and ends after the answer",
			caller: "alice", client: s.workshop, tool: "reports.build", arguments: `{}`, want: contract.CodeTimeout, events: 2,
			after: func(context.Context) error { close(s.shop.slow); return nil },
		},
		{
			title:  "A result that breaks the output schema does not leave",
			behind: `the handler returns the state "half open"`,
			caller: "alice", client: s.workshop, tool: "reports.state", arguments: `{}`, want: contract.CodeOutputInvalid,
			never: "half open",
		},
		busyTool(s),
		{
			title:  "A call that the rate limit still allows",
			caller: "alice", client: s.workshop, tool: "weather.read", arguments: `{}`, want: "ok",
		},
		{
			title:  "The next is one too many, and says how long to wait",
			caller: "alice", client: s.workshop, tool: "weather.read", arguments: `{}`, want: contract.CodeRateLimitExceeded,
		},
		retryBudget(s),
		{
			title:  "A tool that can do grave things does a mild one, and nobody is asked",
			caller: "alice", client: s.workshop, tool: "machine.use", arguments: `{"action": "look"}`, want: "ok",
		},
		{
			title:  "With other arguments it is what its contract declares, and a person is asked",
			caller: "alice", client: s.workshop, tool: "machine.use", arguments: `{"action": "scrap"}`, want: contract.CodeConfirmationRequired,
		},
		{
			title:  "Graver than it declares it cannot become",
			behind: "for these arguments the author's function says restricted",
			caller: "alice", client: s.workshop, tool: "machine.use", arguments: `{"action": "sell"}`, want: contract.CodeInternalError,
		},
		{
			title:  "Who authenticated too long ago is told what is missing",
			caller: "alice", client: s.workshop, tool: "safe.open", arguments: `{}`, want: contract.CodeStepUpRequired,
		},
		{
			title:  "Where the audit log cannot be written, a high-risk tool does not run",
			behind: "the audit hook returns an error",
			caller: "alice", client: s.workshop, tool: "ledger.close", arguments: `{}`, want: contract.CodeUnavailable, events: 2,
			before: down(true),
		},
		{
			title:  "An old name still works, and says so",
			caller: "alice", client: s.workshop, tool: "numbers.add", arguments: `{"numbers": [20, 22]}`, want: "ok",
			before: down(false),
		},
	}
}

// retryBudget calls a tool that has failed too often in the same way.
func retryBudget(s *setup) step {
	const tool = "reports.print"
	return step{
		title:  "Once too often",
		behind: fmt.Sprintf("the same call has failed %d times", guard.DefaultRetries),
		caller: "alice", client: s.workshop, tool: tool, arguments: `{}`, want: contract.CodeRetryBudgetExhausted,
		before: func(ctx context.Context) error {
			mark := s.journal.mark()
			for range guard.DefaultRetries {
				if _, err := s.workshop.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool}}); err != nil {
					return err
				}
			}
			_, err := s.journal.since(ctx, mark, guard.DefaultRetries)
			return err
		},
	}
}

// busyTool calls a tool that runs once at a time while it is running.
func busyTool(s *setup) step {
	first := make(chan error, 1)
	return step{
		title:  "A tool that runs once at a time is busy",
		behind: "an earlier call of the tool is still running",
		caller: "alice", client: s.workshop, tool: "jobs.run", arguments: `{}`, want: contract.CodeUnavailable, events: 2,
		before: func(ctx context.Context) error {
			go func() {
				_, err := s.workshop.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "jobs.run"}})
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
