package oauth

import (
	"log/slog"
	"net/http"
	"time"
)

// DefaultLeeway is the leeway of a configuration without one.
const DefaultLeeway = defaultLeeway

// The reasons why a token is invalid.
var (
	ErrAlgorithm = errAlgorithm
	ErrAudience  = errAudience
	ErrClaims    = errClaims
	ErrCritical  = errCritical
	ErrExpired   = errExpired
	ErrIssuer    = errIssuer
	ErrKey       = errKey
	ErrMalformed = errMalformed
	ErrSignature = errSignature
	ErrTooEarly  = errTooEarly
	ErrType      = errType
)

// NewVerifierAt returns a verifier whose time stands still.
func NewVerifierAt(now time.Time, c VerifierConfig) (*Verifier, error) {
	return newVerifier(c, func() time.Time { return now })
}

// NewKeySetOver returns a key set that fetches over a transport and logs
// nothing.
func NewKeySetOver(address string, t http.RoundTripper) (*KeySet, error) {
	k, err := NewKeySet(address)
	if err == nil {
		k.client.Transport = bounded{t}
		k.log = slog.New(slog.DiscardHandler)
	}
	return k, err
}
