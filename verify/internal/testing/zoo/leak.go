package zoo

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
)

func leaks() []Entry {
	return []Entry{
		{
			// The error of a refused call had the credentials of all servers.
			// There the proxy had sent its own; here the tool sends back an
			// argument of the caller.
			Name: "secret_in_error_text", Rule: RuleLeak, Source: "BerriAI/litellm#29936",
			Lie:    "The text of a failure has a secret argument.",
			Lying:  in(func(w *world) Subject { return w.signedIn(w.signInAndTell) }),
			Honest: in(func(w *world) Subject { return w.signedIn(w.signIn) }),
		},
		{
			// The headers of a failed request were logged, with the key.
			Name: "secret_in_log", Rule: RuleLeak, Source: "suthio/redash-mcp#30",
			Lie:    "A handler writes a secret argument to its log.",
			Lying:  in(func(w *world) Subject { return w.signedIn(w.signInAndLog) }),
			Honest: in(func(w *world) Subject { return w.signedIn(w.signIn) }),
		},
		{
			Name: "secret_in_result", Rule: RuleLeak,
			Lie:    "A result has a secret argument.",
			Lying:  in(func(w *world) Subject { return w.signedIn(w.signInAndReturn) }),
			Honest: in(func(w *world) Subject { return w.signedIn(w.signIn) }),
		},
		{
			Name: "secret_in_state", Rule: RuleLeak,
			Lie:    "A handler stores a secret argument in plain text.",
			Lying:  in(func(w *world) Subject { return w.signedIn(w.signInAndKeep) }),
			Honest: in(func(w *world) Subject { return w.signedIn(w.signIn) }),
		},
	}
}

type signInInput struct {
	User  string `json:"user" jsonschema:"description=The name of the user.,maxLength=40"`
	Token string `json:"token" jsonschema:"description=The token of the user.,maxLength=40" contract:"secret"`
}

var errRejected = contract.Retryable("token_rejected", "The token is not that of the user.")

// signedIn returns a tool that accepts no user but anna. Its first case is
// accepted and its second rejected.
func (w *world) signedIn(h contract.Handler[signInInput, textOutput]) Subject {
	return w.subject(writing("notes.verify", "Verifies the token of a user, and remembers the user.", h).Failures(errRejected),
		signInInput{"anna", "hunter2-anna"}, signInInput{"ben", "hunter2-ben"})
}

func (w *world) signIn(_ context.Context, in signInInput) (textOutput, error) {
	w.env.Log.Info("sign in", "user", in.User)
	if in.User != "anna" {
		return textOutput{}, errRejected.At("/token")
	}
	w.set("user", note{Anna.Tenant, in.User})
	return textOutput{"Welcome, " + in.User}, nil
}

func (w *world) signInAndTell(ctx context.Context, in signInInput) (textOutput, error) {
	out, err := w.signIn(ctx, in)
	if err != nil {
		return out, errRejected.Errorf("the token %s is not that of %s", in.Token, in.User)
	}
	return out, nil
}

func (w *world) signInAndLog(ctx context.Context, in signInInput) (textOutput, error) {
	w.env.Log.Info("request", "authorization", "Bearer "+in.Token)
	return w.signIn(ctx, in)
}

func (w *world) signInAndReturn(ctx context.Context, in signInInput) (textOutput, error) {
	out, err := w.signIn(ctx, in)
	if err == nil {
		out.Text += " with " + in.Token
	}
	return out, err
}

func (w *world) signInAndKeep(ctx context.Context, in signInInput) (textOutput, error) {
	out, err := w.signIn(ctx, in)
	if err == nil {
		w.set("token", note{Anna.Tenant, in.Token})
	}
	return out, err
}
