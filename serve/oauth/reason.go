package oauth

import (
	"errors"
	"fmt"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolcontract/toolcontract/guard"
)

// ErrInvalidToken matches, with [errors.Is], every error of
// [Verifier.Principal] about an invalid token. The error's text has the reason,
// for the operator's log. Do not show it to callers.
var ErrInvalidToken = errors.New("oauth: the token is not valid")

// The reasons why a token is invalid.
var (
	errMalformed = reason("it is not a signed JWT")
	errAlgorithm = reason("it is not signed with an allowed algorithm")
	errType      = reason("its type is not at+jwt; VerifierConfig.AnyType accepts other types")
	errCritical  = reason("its header has critical parameters that this server does not support")
	errKey       = reason("its kid names no key of the issuer")
	errSignature = reason("its signature is wrong")
	errIssuer    = reason("it is from another issuer")
	errAudience  = reason("it is for another resource")
	errExpired   = reason("it has expired")
	errTooEarly  = reason("it is not valid yet")
	errClaims    = reason("a claim is missing or invalid")
)

func reason(text string) error { return fmt.Errorf("%w: %s", ErrInvalidToken, text) }

// An algorithmError is errAlgorithm with the allowed algorithms.
type algorithmError struct{ allowed []string }

func (e algorithmError) Error() string {
	return ErrInvalidToken.Error() + ": it is not signed with " + strings.Join(e.allowed, " or ")
}

func (algorithmError) Unwrap() error { return errAlgorithm }

// reasons maps errors of the parser to errors of this package. If several
// errors match, the first counts.
var reasons = []struct{ found, reason error }{
	{errType, errType},
	{errCritical, errCritical},
	{errKey, errKey},
	{jwt.ErrTokenMalformed, errMalformed},
	{jwt.ErrTokenSignatureInvalid, errSignature},
	{jwt.ErrTokenInvalidIssuer, errIssuer},
	{jwt.ErrTokenInvalidAudience, errAudience},
	{jwt.ErrTokenExpired, errExpired},
	{jwt.ErrTokenNotValidYet, errTooEarly},
	{jwt.ErrTokenUsedBeforeIssued, errTooEarly},
	{jwt.ErrTokenRequiredClaimMissing, errClaims},
	{jwt.ErrInvalidType, errClaims},
}

// reasonOf returns the error of this package for an error of the parser, whose
// text may contain parts of the token.
func reasonOf(err error) error {
	if errors.Is(err, guard.ErrUnavailable) {
		return fmt.Errorf("oauth: the issuer's keys cannot be reached: %w", guard.ErrUnavailable)
	}
	for _, r := range reasons {
		if errors.Is(err, r.found) {
			return r.reason
		}
	}
	return ErrInvalidToken
}
