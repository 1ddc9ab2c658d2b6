package program

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/approval"
	"github.com/toolcontract/toolcontract/contract/gateway/catalog"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/serve"
	"github.com/toolcontract/toolcontract/contract/signin"
)

// signInPath is the path of the sign-in that all pages share.
const signInPath = approval.DefaultPath + "/sign-in"

// pages are the pages for people over HTTP.
type pages struct {
	people   *signin.Sessions // nil: there are no pages
	signIn   http.Handler
	approval *approval.Page // nil: none
	stepUp   bool
	// contracts are the options of the page of the contracts. Nil: none.
	contracts *catalog.PageOptions
}

// newPages makes the pages that do not need the guard.
func (s Server) newPages(origin string, approves bool) (p pages, err error) {
	if s.Contracts {
		p.contracts = &catalog.PageOptions{Title: "Contracts of " + s.Name}
	}
	forPeople := approves || s.StepUp
	if !forPeople && (!s.Contracts || s.SignIn.Verify == nil) {
		return p, nil
	}
	if s.SignIn.Verify == nil {
		return p, errors.New("program: SignIn.Verify is nil, so no person could use the pages; set it, or omit -approval and StepUp")
	}
	p.stepUp = s.StepUp
	if p.people, err = signin.New(origin); err != nil {
		return p, err
	}
	s.SignIn.Home = catalog.PagePath
	if forPeople {
		s.SignIn.Home = approval.DefaultPath
	}
	authenticate := approvers{s.Callers, p.people}.authenticate
	if s.Contracts {
		p.contracts.Visitors, p.contracts.SignInAt = authenticate, signInPath
	}
	if p.signIn, err = p.people.Form(signInPath, s.SignIn); err != nil || !approves {
		return p, err
	}
	p.approval, err = approval.New(authenticate, approval.Config{Address: origin + approval.DefaultPath, SignIn: signInPath})
	return p, err
}

// options returns the options of a guard that sends people to the pages.
func (p pages) options(origin string) []guard.Option {
	var opts []guard.Option
	if p.approval != nil {
		opts = append(opts, guard.WithPeople(guard.PeopleOptions{Approver: p.approval}))
	}
	if p.stepUp {
		opts = append(opts, guard.WithPeople(guard.PeopleOptions{StepUpPage: signin.StepUpAddress(origin)}))
	}
	return opts
}

// mount mounts the pages. tools are those of the page of the contracts.
func (p pages) mount(web *serve.Server, g *guard.Guard, tools []*contract.Tool) error {
	if p.contracts != nil {
		set, err := g.Protect(tools...)
		if err != nil {
			return err
		}
		page, err := catalog.Handler(func() *guard.Toolset { return set }, *p.contracts)
		if err != nil {
			return err
		}
		web.HandleTree(catalog.PagePath, page)
		web.Handle(catalog.PagePath+".json", page)
	}
	if p.people == nil {
		return nil
	}
	web.HandleTree(signInPath, p.signIn)
	if p.approval != nil {
		web.HandleTree(approval.DefaultPath, p.approval)
	}
	if !p.stepUp {
		return nil
	}
	page, err := p.people.StepUp(g, signInPath)
	if err == nil {
		web.HandleTree(signin.StepUpPath, page)
	}
	return err
}

// approvers authenticates the users of the approval page, by a bearer token or
// by the session that the sign-in began.
type approvers struct {
	callers  func(context.Context, string) (guard.Principal, error)
	sessions *signin.Sessions
}

func (p approvers) authenticate(r *http.Request) (guard.Principal, error) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && p.callers != nil {
		return p.callers(r.Context(), token)
	}
	return p.sessions.Principal(r)
}
