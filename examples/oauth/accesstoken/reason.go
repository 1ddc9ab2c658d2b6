package accesstoken

import (
	"errors"
	"fmt"

	"github.com/golang-jwt/jwt/v5"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// ErrInvalid is what every error about a token that does not count is; the
// others say why, for the operator's log. A caller is told none of them.
var ErrInvalid = errors.New("accesstoken: the token is not valid")

// Why a token does not count.
var (
	ErrMalformed = reason("it is no signed JWT")
	ErrAlgorithm = reason("it is signed with another algorithm than ES256")
	ErrType      = reason("its type is not at+jwt")
	ErrCritical  = reason("its header demands what this server does not know")
	ErrKey       = reason("it names no key of the issuer's")
	ErrSignature = reason("its signature is wrong")
	ErrIssuer    = reason("it is another issuer's")
	ErrAudience  = reason("it is for another resource")
	ErrExpired   = reason("it has expired")
	ErrTooEarly  = reason("it does not count yet")
	ErrClaims    = reason("a claim is missing, or is not what it has to be")
)

func reason(text string) error { return fmt.Errorf("%w: %s", ErrInvalid, text) }

// reasons are the parser's errors in the order in which one is told of several.
var reasons = []struct{ found, told error }{
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

// told returns one of this package's errors: a text of the parser's may have
// words of the token's in it.
func told(err error) error {
	if errors.Is(err, guard.ErrUnavailable) {
		return fmt.Errorf("accesstoken: the issuer's keys cannot be reached: %w", guard.ErrUnavailable)
	}
	for _, r := range reasons {
		if errors.Is(err, r.found) {
			return r.told
		}
	}
	return ErrInvalid
}
