package gosdk

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/guard"
)

var (
	errAnonymous = errors.New("gosdk: the token info has no subject")
	errEnded     = errors.New("gosdk: the token has expired since the request arrived")
)

// TokenInfo returns a principal function for servers behind
// auth.RequireBearerToken of the SDK. It passes the auth.TokenInfo of the
// request to read, which returns the principal that it stands for:
//
//	gosdk.TokenInfo(func(_ context.Context, t *auth.TokenInfo) (guard.Principal, error) {
//		return guard.Principal{Issuer: "https://login.example.com", Subject: t.UserID, Permissions: t.Scopes}, nil
//	})
//
// The token is that of the calling request. The SDK's own context belongs to a
// session's first request, which another caller may have sent.
//
// The SDK's handler checks a token's expiry when the request arrives. If the
// token expires later, while a person is being asked about the call, the call
// is unauthenticated.
//
// A caller without a token info is anonymous. An error from read is passed on
// unchanged; wrap [guard.ErrUnavailable] if the caller cannot be looked up at
// the moment. A token info for which read returns no subject is an error.
// [Bearer] verifies the token itself and needs no handler of the SDK.
//
// A nil read returns nil, which guard.WithPrincipal refuses. read must be safe
// for concurrent use.
func TokenInfo(read func(ctx context.Context, info *auth.TokenInfo) (guard.Principal, error)) guard.PrincipalFunc {
	if read == nil {
		return nil
	}
	return func(ctx context.Context) (guard.Principal, error) {
		t, _ := ctx.Value(tokenKey{}).(token)
		switch {
		case t.info == nil:
			return guard.Principal{}, nil
		case !t.ends.IsZero() && time.Now().After(t.ends):
			return guard.Principal{}, errEnded
		}
		p, err := read(ctx, t.info)
		if err != nil {
			return guard.Principal{}, err
		}
		if p.IsAnonymous() {
			return guard.Principal{}, errAnonymous
		}
		return p, nil
	}
}

// tokenKey is the context key of a request's token.
type tokenKey struct{}

// A token belongs to one request and ends when it expires. A token that had
// already expired when the request arrived has no end, because the SDK's
// handler let it through.
type token struct {
	info *auth.TokenInfo
	ends time.Time
}

// withToken puts a request's token info into the context. It also replaces the
// one that auth.TokenInfoFromContext returns. In a stateful session of the SDK
// that would be the token of the session's first request
// (mcp/streamable.go:700), and a principal function that uses it would mistake
// one caller for another.
func withToken(ctx context.Context, extra *mcp.RequestExtra) context.Context {
	var info *auth.TokenInfo
	if extra != nil {
		info = extra.TokenInfo
	}
	t := token{info: info}
	if info != nil && time.Now().Before(info.Expiration) {
		t.ends = info.Expiration
	}
	ctx = context.WithValue(ctx, tokenKey{}, t)
	if key := sdkTokenKey(); key != nil {
		ctx = context.WithValue(ctx, key, info)
	}
	return ctx
}

// sdkTokenKey returns the context key of the SDK's token info. It learns the
// key by watching what the SDK asks a context for.
func sdkTokenKey() any {
	asked := &askedKey{Context: context.Background()}
	auth.TokenInfoFromContext(asked)
	return asked.key
}

// An askedKey is a context that remembers the last key it was asked for.
type askedKey struct {
	context.Context

	key any
}

// Value implements [context.Context].
func (a *askedKey) Value(key any) any {
	a.key = key
	return nil
}
