package accesstoken_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract/accesstoken"
)

// A server verifies the tokens of one issuer for its own address. Nothing is
// fetched before the first token that needs a key.
func ExampleVerifier() {
	keys, err := accesstoken.NewKeySet("https://login.example.com/jwks")
	if err != nil {
		fmt.Println(err)
		return
	}
	tokens, err := accesstoken.New(accesstoken.Config{
		Issuer:     "https://login.example.com",
		Resource:   "https://mail.example.com/mcp",
		Scopes:     []string{"contacts:read", "emails:send"},
		Keys:       keys.Key,
		Algorithms: []string{"RS256"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	// guard.WithPrincipal(mcpgo.Bearer(tokens.Principal)) uses it.
	_, err = tokens.Principal(context.Background(), "e30.e30.")
	fmt.Println(errors.Is(err, accesstoken.ErrInvalid))
	// Output: true
}

// An issuer whose keys cannot be fetched over https is refused.
func ExampleKeySet() {
	_, err := accesstoken.NewKeySet("http://login.example.com/jwks")
	fmt.Println(err)
	// Output: accesstoken: the address of the key set is not https; http is only for loopback addresses
}
