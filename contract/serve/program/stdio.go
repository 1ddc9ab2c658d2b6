package program

import (
	"errors"
	"io"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter/gatewaykeys"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// serveStdio serves over stdio until stdin ends.
func (s Server) serveStdio(f flags, stderr io.Writer, b Backend, opts []guard.Option) (err error) {
	b.warn(s.Name, stderr)
	tools, err := s.Tools()
	if err != nil {
		return err
	}
	permissions := contract.PermissionsOf(tools...)
	if f.permissions != nil {
		permissions = *f.permissions
	}
	if f.approval {
		page, listenErr := f.listenForApproval(stderr)
		if listenErr != nil {
			return listenErr
		}
		defer func() { err = errors.Join(err, closePage(page)) }()
		opts = append(opts, guard.WithPeople(guard.PeopleOptions{Approver: page}))
	}
	g, err := guard.New(append(opts, guard.WithPrincipal(s.localUser(permissions)))...)
	if err != nil {
		return err
	}
	list := f.list()
	list.Tools = tools
	if !f.gateway {
		return s.sdk().ServeStdio(s.Name, s.Version, g, list, os.Stdin, os.Stdout)
	}
	in, out := gatewaykeys.Stdio(os.Stdin, os.Stdout, gatewaykeys.For(f.names, tools...))
	return errors.Join(s.sdk().ServeStdio(s.Name, s.Version, g, list, in, out), out.Close())
}
