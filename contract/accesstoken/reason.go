package accesstoken

import (
	"errors"
	"fmt"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// ErrInvalid matches, with [errors.Is], every error about an invalid token. The
// errors below give the reason for the operator's log. Callers must not learn
// the reason.
var ErrInvalid = errors.New("accesstoken: the token is not valid")

// The reasons why a token is invalid.
var (
	ErrMalformed = reason("it is not a signed JWT")
	ErrAlgorithm = reason("it is not signed with an allowed algorithm")
	ErrType      = reason("its type is not at+jwt; Config.AnyType accepts other types")
	ErrCritical  = reason("its header has critical parameters that this server does not support")
	ErrKey       = reason("its kid names no key of the issuer")
	ErrSignature = reason("its signature is wrong")
	ErrIssuer    = reason("it is from another issuer")
	ErrAudience  = reason("it is for another resource")
	ErrExpired   = reason("it has expired")
	ErrTooEarly  = reason("it is not valid yet")
	ErrClaims    = reason("a claim is missing or invalid")
)

func reason(text string) error { return fmt.Errorf("%w: %s", ErrInvalid, text) }

// An algorithmError is ErrAlgorithm with the allowed algorithms.
type algorithmError struct{ allowed []string }

func (e algorithmError) Error() string {
	return ErrInvalid.Error() + ": it is not signed with " + strings.Join(e.allowed, " or ")
}

func (algorithmError) Unwrap() error { return ErrAlgorithm }

// reasons maps errors of the parser to errors of this package. If several
// errors match, the first counts.
var reasons = []struct{ found, reason error }{
	{ErrType, ErrType},
	{ErrCritical, ErrCritical},
	{ErrKey, ErrKey},
	{jwt.ErrTokenMalformed, ErrMalformed},
	{jwt.ErrTokenSignatureInvalid, ErrSignature},
	{jwt.ErrTokenInvalidIssuer, ErrIssuer},
	{jwt.ErrTokenInvalidAudience, ErrAudience},
	{jwt.ErrTokenExpired, ErrExpired},
	{jwt.ErrTokenNotValidYet, ErrTooEarly},
	{jwt.ErrTokenUsedBeforeIssued, ErrTooEarly},
	{jwt.ErrTokenRequiredClaimMissing, ErrClaims},
	{jwt.ErrInvalidType, ErrClaims},
}

// reasonOf returns the error of this package for an error of the parser, whose
// text may contain parts of the token.
func reasonOf(err error) error {
	if errors.Is(err, guard.ErrUnavailable) {
		return fmt.Errorf("accesstoken: the issuer's keys cannot be reached: %w", guard.ErrUnavailable)
	}
	for _, r := range reasons {
		if errors.Is(err, r.found) {
			return r.reason
		}
	}
	return ErrInvalid
}
