package catalog_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func ExampleHandler() {
	add := contract.New("calc.add", func(context.Context, struct{}) (string, error) { return "3", nil }).
		Description("Adds two numbers.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	g, err := guard.New(guard.WithPrincipal(adapter.Bearer(func(_ context.Context, token string) (guard.Principal, error) {
		return guard.Principal{Subject: token}, nil // a real server verifies the token
	})))
	if err != nil {
		log.Fatal(err)
	}
	set, err := g.Protect(add)
	if err != nil {
		log.Fatal(err)
	}
	page, err := catalog.Handler(func() *guard.Toolset { return set }, catalog.PageOptions{Title: "Contracts of calc"})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(catalog.PagePath, page)
	mux.Handle(catalog.PagePath+"/", page)
	mux.Handle(catalog.PagePath+".json", page)

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/contracts", nil))
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "calc.add"))
	// Output: 200 true
}
