package program_test

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store"
)

// The main function of a server over stdio and HTTP, with an audit log, a
// shared store, and pages on which people approve calls and authenticate again.
func Example() {
	var url string
	os.Exit(program.Server{
		Name: "invoices", Version: "1.0.0",
		Tools:   invoiceTools,
		Callers: agentOf, // such as oauth.Verifier.Principal
		SignIn:  pages.SignIn{Verify: personOf, Hint: "It was sent to you by email."},
		Public:  true, Approval: true, StepUp: true,
		Flags: func(set *flag.FlagSet) {
			set.StringVar(&url, "store", "redis://127.0.0.1:6379/0", "store the outcomes of calls at `URL`")
		},
		OpenBackend: func() (program.Backend, error) {
			shared, err := openStore(url) // such as redisstore.Open
			if err != nil {
				return program.Backend{}, err
			}
			return program.Backend{
				Options: []guard.Option{guard.WithStore(shared), guard.WithSealingKeys([]byte(os.Getenv("SEALING_KEY")))},
				Close:   shared.Close,
			}, nil
		},
	}.Main(os.Args[1:], os.Stdout, os.Stderr))
}

// The rest stands for the server itself.
func invoiceTools() ([]*contract.Tool, error) { return nil, nil }

func openStore(string) (closableStore, error) { return closableStore{}, nil }

type closableStore struct{ store.Store }

func (closableStore) Close() error { return nil }

func agentOf(_ context.Context, token string) (guard.Principal, error) {
	return guard.Principal{}, errors.New("the token is not known")
}

func personOf(_ context.Context, code string) (guard.Principal, error) {
	return guard.Principal{}, errors.New("the code is not known")
}
