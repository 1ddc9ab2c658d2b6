package exampleserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/user"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract/approval"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/contract/signin"
)

// listenForApproval serves the approval page to the user that started the
// server. It prints the page's address at the start and with each question. If
// the machine has a display, it also opens each question in the browser.
func (f flags) listenForApproval(stderr io.Writer) (*approval.Loopback, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	opts := []approval.LoopbackOption{approval.WithNotify(func(q guard.PendingQuestion, address string) {
		fmt.Fprintf(stderr, "approve %s at %s\n", q.Tool, address)
	})}
	if !f.browser {
		opts = append(opts, approval.WithoutBrowser())
	}
	page, err := approval.ListenLoopback(context.Background(), guard.Principal{Issuer: mcpgo.LocalIssuer, Subject: me.Username}, opts...)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "approvals at %s\n", page.Address())
	return page, nil
}

// pageGrace bounds how long an open page delays the end of the server.
const pageGrace = 500 * time.Millisecond

func closePage(page *approval.Loopback) error {
	ctx, cancel := context.WithTimeout(context.Background(), pageGrace)
	defer cancel()
	return page.Close(ctx)
}

const signInPath = approval.DefaultPath + "/sign-in"

// people authenticates the users of the approval page by the example's tokens.
// These tokens prove nothing: a real server needs a real sign-in.
type people struct {
	principal func(context.Context, string) (guard.Principal, error)
	sessions  *signin.Sessions
}

// authenticate reads the token from the Authorization header, or the session
// that the sign-in began.
func (p people) authenticate(r *http.Request) (guard.Principal, error) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return p.principal(r.Context(), token)
	}
	return p.sessions.Principal(r)
}

// handlePages mounts the approval page and its sign-in. It returns the page.
func (s Server) handlePages(mux *http.ServeMux, origin string) (*approval.Page, error) {
	tools, err := s.Tools()
	if err != nil {
		return nil, err
	}
	sessions, err := signin.New(origin)
	if err != nil {
		return nil, err
	}
	people := people{Principal(tools), sessions}
	form, err := sessions.Form(signInPath, signin.FormConfig{
		Verify: people.principal, Label: "Token", Home: approval.DefaultPath,
		Hint: "In this example, use the token auditor. It belongs to a person; agents such as alice cannot decide.",
	})
	if err != nil {
		return nil, err
	}
	page, err := approval.New(people.authenticate, approval.WithAddress(origin+approval.DefaultPath), approval.WithSignIn(signInPath))
	if err != nil {
		return nil, err
	}
	for path, handler := range map[string]http.Handler{approval.DefaultPath: page, signInPath: form} {
		mux.Handle(path, handler)
		mux.Handle(path+"/", handler)
	}
	return page, nil
}
