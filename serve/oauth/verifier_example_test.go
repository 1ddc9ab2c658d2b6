package oauth_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/serve/oauth"
)

// A server verifies the tokens of one issuer for its own address. Nothing is
// fetched before the first token that needs a key.
func ExampleVerifier() {
	keys, err := oauth.NewKeySet("https://login.example.com/jwks")
	if err != nil {
		fmt.Println(err)
		return
	}
	tokens, err := oauth.NewVerifier(oauth.VerifierConfig{
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
	fmt.Println(errors.Is(err, oauth.ErrInvalidToken))
	// Output: true
}

// An issuer whose keys cannot be fetched over https is refused.
func ExampleKeySet() {
	_, err := oauth.NewKeySet("http://login.example.com/jwks")
	fmt.Println(err)
	// Output: oauth: the address of the key set is not https without a user; http is only for loopback addresses
}
