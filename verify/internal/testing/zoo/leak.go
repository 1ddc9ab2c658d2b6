package zoo

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
)

func leaks() []Entry {
	return []Entry{
		{
			// The headers of a failed request were logged, including the key.
			Name: "secret_in_log", Rule: RuleLeak, Source: "suthio/redash-mcp#30",
			Lie:    "A handler writes a secret argument to its log.",
			Lying:  in(func(nb *notebook) Subject { return nb.signedIn(nb.signInAndLog) }),
			Honest: in(func(nb *notebook) Subject { return nb.signedIn(nb.signIn) }),
		},
		{
			Name: "secret_in_result", Rule: RuleLeak,
			Lie:    "A result has a secret argument.",
			Lying:  in(func(nb *notebook) Subject { return nb.signedIn(nb.signInAndReturn) }),
			Honest: in(func(nb *notebook) Subject { return nb.signedIn(nb.signIn) }),
		},
		{
			Name: "secret_in_state", Rule: RuleLeak,
			Lie:    "A handler stores a secret argument in plain text.",
			Lying:  in(func(nb *notebook) Subject { return nb.signedIn(nb.signInAndKeep) }),
			Honest: in(func(nb *notebook) Subject { return nb.signedIn(nb.signIn) }),
		},
	}
}

type signInInput struct {
	User  string `json:"user" jsonschema:"description=The name of the user.,maxLength=40"`
	Token string `json:"token" jsonschema:"description=The token of the user.,maxLength=40" contract:"secret"`
}

var errRejected = contract.Retryable("token_rejected", "The token is not that of the user.")

// signedIn returns a tool that accepts no user but Anna. Its first case is
// accepted and its second one rejected.
func (nb *notebook) signedIn(h contract.Handler[signInInput, textOutput]) Subject {
	return nb.subject(writing("notes.verify", "Verifies the token of a user, and remembers the user.", h).Failures(errRejected),
		signInInput{"anna", "hunter2-anna"}, signInInput{"ben", "hunter2-ben"})
}

func (nb *notebook) signIn(_ context.Context, in signInInput) (textOutput, error) {
	nb.env.Log.Info("sign in", "user", in.User)
	if in.User != "anna" {
		return textOutput{}, errRejected.At("/token")
	}
	nb.set("user", note{Anna.Tenant, in.User})
	return textOutput{"Welcome, " + in.User}, nil
}

func (nb *notebook) signInAndLog(ctx context.Context, in signInInput) (textOutput, error) {
	nb.env.Log.Info("request", "authorization", "Bearer "+in.Token)
	return nb.signIn(ctx, in)
}

func (nb *notebook) signInAndReturn(ctx context.Context, in signInInput) (textOutput, error) {
	out, err := nb.signIn(ctx, in)
	if err == nil {
		out.Text += " with " + in.Token
	}
	return out, err
}

func (nb *notebook) signInAndKeep(ctx context.Context, in signInInput) (textOutput, error) {
	out, err := nb.signIn(ctx, in)
	if err == nil {
		nb.set("token", note{Anna.Tenant, in.Token})
	}
	return out, err
}
