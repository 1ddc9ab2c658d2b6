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

// listenForApproval serves the page to who started the server, and prints how to
// open it: at the start, and with each question.
func listenForApproval(stderr io.Writer) (*approval.Loopback, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	page, err := approval.ListenLoopback(context.Background(), guard.Principal{Issuer: mcpgo.LocalIssuer, Subject: me.Username},
		approval.WithNotify(func(q guard.PendingQuestion, address string) {
			fmt.Fprintf(stderr, "approve %s at %s\n", q.Tool, address)
		}))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "approvals at %s\n", page.Address())
	return page, nil
}

// pageGrace is how long an open page has to end: who started the server waits.
const pageGrace = 500 * time.Millisecond

func closePage(page *approval.Loopback) error {
	ctx, cancel := context.WithTimeout(context.Background(), pageGrace)
	defer cancel()
	return page.Close(ctx)
}

// webHandler is the example's own, or Handler's, with the page beside the tools
// where the flags say so.
func (s Server) webHandler(f flags, host string, opts []guard.Option) (http.Handler, *guard.Guard, error) {
	if s.Web != nil {
		return s.Web(host, f.options(), opts)
	}
	if !f.approval {
		return s.Handler(f.options(), opts...)
	}
	tools, err := s.Tools()
	if err != nil {
		return nil, nil, err
	}
	people := people{Principal(tools)}
	page, err := approval.New(people.authenticate, approval.WithAddress("http://"+host+approval.DefaultPath), approval.WithSignIn(signInPath))
	if err != nil {
		return nil, nil, err
	}
	handler, g, err := s.Handler(f.options(), append(opts, guard.WithApprover(page))...)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.Handle(approval.DefaultPath, page)
	mux.Handle(approval.DefaultPath+"/", page)
	mux.Handle(signInPath, people.signIn())
	return mux, g, nil
}

// people know each other by the example's tokens.
type people struct {
	principal func(context.Context, string) (guard.Principal, error)
}

var errNoToken = errors.New("exampleserver: the request has no token")

// authenticate takes a token from the Authorization header, or from the cookie
// that the sign-in leaves.
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

// decides reports whether a token is a person's: agents decide nothing.
func (p people) decides(ctx context.Context, token string) bool {
	found, err := p.principal(ctx, token)
	return err == nil && found.Human
}
