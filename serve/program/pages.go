package program

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve"
	"github.com/toolcontract/toolcontract/serve/pages"
)

const (
	approvalsPath = "/approvals"
	// signInPath is the path of the sign-in that all pages share.
	signInPath = approvalsPath + "/sign-in"
)

// A site is the pages for people over HTTP.
type site struct {
	people    *pages.Sessions // nil: there are no pages
	signIn    http.Handler
	approvals *pages.Approvals // nil: none
	stepUp    bool
	// contracts are the options of the page of the contracts. Nil: none.
	contracts *catalog.PageOptions
}

// newSite makes the pages that do not need the guard.
func (s Server) newSite(origin string, approves bool) (p site, err error) {
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
	if p.people, err = pages.NewSessions(origin); err != nil {
		return p, err
	}
	s.SignIn.Home = catalog.PagePath
	if forPeople {
		s.SignIn.Home = approvalsPath
	}
	authenticate := approvers{s.Callers, p.people}.authenticate
	if s.Contracts {
		p.contracts.Visitors = authenticate
		p.contracts.SignInAt = signInPath
	}
	if p.signIn, err = p.people.SignInPage(signInPath, s.SignIn); err != nil || !approves {
		return p, err
	}
	p.approvals, err = pages.NewApprovals(authenticate, pages.ApprovalsConfig{Address: origin + approvalsPath, SignIn: signInPath})
	return p, err
}

// options returns the options of a guard that sends people to the pages.
func (p site) options() []guard.Option {
	var opts []guard.Option
	if p.approvals != nil {
		opts = append(opts, guard.WithPeople(guard.PeopleOptions{Approver: p.approvals}))
	}
	if p.stepUp {
		opts = append(opts, guard.WithPeople(guard.PeopleOptions{StepUpPage: p.people.StepUpAddress}))
	}
	return opts
}

// mount mounts the pages. tools are those of the page of the contracts.
func (p site) mount(web *serve.Server, g *guard.Guard, tools []*contract.Tool) error {
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
	if p.approvals != nil {
		web.HandleTree(approvalsPath, p.approvals)
	}
	if !p.stepUp {
		return nil
	}
	page, err := p.people.StepUpPage(g, signInPath)
	if err == nil {
		web.HandleTree(pages.StepUpPath, page)
	}
	return err
}

// approvers authenticates the users of the approval page, by a bearer token or
// by the session that the sign-in started.
type approvers struct {
	callers  func(context.Context, string) (guard.Principal, error)
	sessions *pages.Sessions
}

func (p approvers) authenticate(r *http.Request) (guard.Principal, error) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && p.callers != nil {
		return p.callers(r.Context(), token)
	}
	return p.sessions.Principal(r)
}
