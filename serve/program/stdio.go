package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/stdout"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// serveStdio serves over stdio until stdin ends. It reports whether serving
// began.
func (s Server) serveStdio(f flags, stderr io.Writer, b Backend, opts []guard.Option) (began bool, err error) {
	tools, err := s.Tools()
	if err != nil {
		return false, err
	}
	permissions, err := f.localPermissions(contract.PermissionsOf(tools...))
	if err != nil {
		return false, err
	}
	b.warn(s.Name, stderr)
	var page *pages.Approvals
	if f.approval {
		var listenErr error
		page, listenErr = f.listenForApproval(stderr)
		if listenErr != nil {
			return false, listenErr
		}
		defer func() { err = errors.Join(err, closePage(page)) }()
		opts = append(opts, guard.WithPeople(guard.PeopleOptions{Approver: page}))
	}
	opts = append([]guard.Option{guard.WithOperations()}, opts...)
	g, err := guard.New(append(opts, guard.WithPrincipal(adapter.LocalUser(permissions...)))...)
	if err != nil {
		return false, err
	}
	if page != nil {
		_, _ = g.Protect(tools...) // so that its warnings come first; serving returns the error
		printAddress(page, stderr) // once more
	}
	list := f.list()
	list.Tools = tools
	if f.gateway {
		err = s.serveWithKeys(f, g, list)
	} else {
		err = s.sdk().ServeStdio(s.Name, s.Version, g, list, os.Stdin, os.Stdout)
	}
	return len(contract.DeclarationErrors(err)) == 0, err // with such an error, nothing was served
}

// serveWithKeys serves with the annotation keys in the list. The SDK cannot see
// that it writes to standard output, so prints are kept out here.
func (s Server) serveWithKeys(f flags, g *guard.Guard, list adapter.Config) error {
	protocol, giveBack, err := stdout.Take(os.Stdout)
	if err != nil {
		return errors.Join(err, g.Close(context.Background()))
	}
	defer giveBack()
	in, out := keys.Stdio(os.Stdin, protocol, keys.For(f.names, served(g, list.Tools)...))
	return errors.Join(s.sdk().ServeStdio(s.Name, s.Version, g, list, in, out), out.Close())
}

// localPermissions returns the permissions of the local user. An unknown word
// with the domain of a tool's permission is a mistake. Others belong to other
// servers: one list can be given to several.
func (f flags) localPermissions(known []string) ([]string, error) {
	if f.permissions == nil {
		return known, nil
	}
	for _, p := range *f.permissions {
		if !slices.Contains(known, p) && slices.ContainsFunc(known, func(k string) bool { return domain(k) == domain(p) }) {
			return nil, fmt.Errorf("-permissions: no tool needs %q; the permissions are %s", p, strings.Join(known, ", "))
		}
	}
	return *f.permissions, nil
}

// domain returns a permission up to its colon.
func domain(permission string) string {
	before, _, _ := strings.Cut(permission, ":")
	return before
}
