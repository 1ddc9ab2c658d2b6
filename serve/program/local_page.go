package program

import (
	"context"
	"fmt"
	"io"
	"os/user"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// listenForApproval serves the approval page to the user who started the
// server. It prints the page's address at startup and with each question. If
// the machine has a display, it also opens each question in the browser.
func (f flags) listenForApproval(stderr io.Writer) (*pages.Approvals, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	person := guard.Principal{Issuer: contract.LocalIssuer, Subject: me.Username}
	page, err := pages.ListenLoopback(context.Background(), person, pages.LoopbackConfig{
		NoBrowser: !f.browser,
		Notify: func(q people.PendingQuestion, address string) {
			fmt.Fprintf(stderr, "approve %s at %s\n", q.Tool, address)
		},
	})
	if err != nil {
		return nil, err
	}
	printAddress(page, stderr)
	return page, nil
}

func printAddress(page *pages.Approvals, stderr io.Writer) {
	fmt.Fprintf(stderr, "approvals at %s\n", page.Address())
}

// pageGrace bounds how long an open page delays the server's shutdown.
const pageGrace = 500 * time.Millisecond

func closePage(page *pages.Approvals) error {
	ctx, cancel := context.WithTimeout(context.Background(), pageGrace)
	defer cancel()
	return page.Close(ctx)
}
