package exampleserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/user"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract/approval"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
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

// people authenticates the users of the approval page by the example's tokens.
type people struct {
	principal func(context.Context, string) (guard.Principal, error)
}

var errNoToken = errors.New("exampleserver: the request has no token")

// authenticate reads the token from the Authorization header, or from the
// cookie that the sign-in sets.
func (p people) authenticate(r *http.Request) (guard.Principal, error) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return p.principal(r.Context(), token)
	}
	cookie, err := r.Cookie(tokenCookie)
	if err != nil {
		return guard.Principal{}, errNoToken
	}
	return p.principal(r.Context(), cookie.Value)
}

// decides reports whether the token belongs to a person. Agents must not
// decide.
func (p people) decides(ctx context.Context, token string) bool {
	found, err := p.principal(ctx, token)
	return err == nil && found.Human
}
