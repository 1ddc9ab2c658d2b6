package adapters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// asAlice returns a request context that names alice.
func asAlice(ctx context.Context) context.Context {
	caller, _ := adapter.CallerFrom(ctx)
	caller.Header = caller.Header.Clone()
	if caller.Header != nil {
		caller.Header.Set("Authorization", "Bearer alice")
	}
	return adapter.WithCaller(ctx, caller)
}

// believing returns a call that believes a client's claim made over HTTP.
func believing(claims func(r adapter.Request, caller adapter.Caller) bool) func(callFunc) callFunc {
	return func(next callFunc) callFunc {
		return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
			if caller, _ := adapter.CallerFrom(ctx); claims(r, caller) {
				ctx = asAlice(ctx)
			}
			return next(ctx, e, r)
		}
	}
}

func brokenCallers() []breach {
	return []breach{
		{"it believes a principal in _meta", quirk{web: true, call: believing(func(r adapter.Request,
			_ adapter.Caller) bool {
			return r.Meta["principal"] == "alice"
		})}, []string{"identity-meta"}},
		{"it believes the name of the client", quirk{web: true, call: believing(func(r adapter.Request, _ adapter.Caller) bool {
			info, _ := r.Meta["io.modelcontextprotocol/clientInfo"].(map[string]any)
			return info["name"] == "alice"
		})}, []string{"identity-client"}},
		{"it believes a principal in the arguments", quirk{web: true, call: believing(func(r adapter.Request, _ adapter.Caller) bool {
			return bytes.Contains(r.Arguments, []byte(`"principal":"alice"`))
		})}, []string{"identity-arguments"}},
		{"it believes a header that is not Authorization", quirk{web: true, call: believing(func(_ adapter.Request,
			c adapter.Caller) bool {
			return c.Header.Get("X-Forwarded-User") == "alice"
		})}, []string{"identity-session"}},
		{"it believes a session id", quirk{web: true, call: believing(func(_ adapter.Request, c adapter.Caller) bool {
			return c.Header.Get("Mcp-Session-Id") == "alice"
		})}, []string{"identity-session"}},
		{"it believes headers in the parameters", quirk{web: true, in: func(m map[string]any, raw string) string {
			if p := at(m, "params"); p["Header"] != nil {
				meta := at(p, "_meta")
				if meta == nil {
					meta = map[string]any{}
					p["_meta"] = meta
				}
				meta["believed"] = true
				changed, _ := json.Marshal(m)
				return string(changed)
			}
			return raw
		}, call: believing(func(r adapter.Request, _ adapter.Caller) bool { return r.Meta["believed"] == true })},
			[]string{"identity-params"}},
		{"its callers are those of the first request", quirk{web: true, bearer: func(verify verifyFunc) guard.PrincipalFunc {
			var once sync.Once
			var first guard.Principal
			principal := adapter.Bearer(verify)
			return func(ctx context.Context) (guard.Principal, error) {
				var err error
				once.Do(func() { first, err = principal(ctx) })
				return first, err
			}
		}}, []string{
			"list-permissions", "list-discover", "list-revoked", "page-complete", "call-permissions", "identity-meta",
			"identity-client", "identity-arguments", "identity-params", "identity-session", "identity-request",
			"identity-revoked", "identity-handler", "key-caller", "key-revoked", "state-caller", "state-revoked",
			"challenge-metadata", "audit-caller",
		}},
		{"it remembers the permissions of a token", quirk{web: true, bearer: func(verify verifyFunc) guard.PrincipalFunc {
			var mu sync.Mutex
			known := map[string]guard.Principal{}
			return adapter.Bearer(func(ctx context.Context, token string) (guard.Principal, error) {
				mu.Lock()
				defer mu.Unlock()
				if p, ok := known[token]; ok {
					return p, nil
				}
				p, err := verify(ctx, token)
				if err == nil {
					known[token] = p
				}
				return p, err
			})
		}}, []string{"list-discover", "list-revoked", "identity-revoked", "key-revoked", "state-revoked"}},
		{"a caller that cannot be found is anonymous", quirk{web: true, bearer: func(verify verifyFunc) guard.PrincipalFunc {
			return adapter.Bearer(func(ctx context.Context, token string) (guard.Principal, error) {
				p, err := verify(ctx, token)
				if errors.Is(err, guard.ErrUnavailable) {
					err = errors.New("unknown")
				}
				return p, err
			})
		}}, []string{"identity-unavailable"}},
		{"it reads permissions generously", quirk{web: true, bearer: func(verify verifyFunc) guard.PrincipalFunc {
			return adapter.Bearer(func(ctx context.Context, token string) (guard.Principal, error) {
				p, err := verify(ctx, token)
				for i, permission := range p.Permissions {
					p.Permissions[i] = strings.ToLower(strings.TrimSpace(permission))
				}
				return p, err
			})
		}}, []string{"call-no-permissions"}},
		{"it believes an authentication in _meta", quirk{
			web: true,
			call: func(next callFunc) callFunc {
				return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
					return next(context.WithValue(ctx, claimedKey{}, r.Meta["acr"]), e, r)
				}
			},
			bearer: func(verify verifyFunc) guard.PrincipalFunc {
				return adapter.Bearer(func(ctx context.Context, token string) (guard.Principal, error) {
					p, err := verify(ctx, token)
					if acr, ok := ctx.Value(claimedKey{}).(string); ok {
						p.ACR, p.AuthTime = acr, time.Now()
					}
					return p, err
				})
			},
		}, []string{"stepup-claimed"}},
		{"it audits every call a second time", quirk{web: true, table: func(c contracts) contracts {
			return calls{c, func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				c.Unknown(ctx, e.Name())
				return c.Call(ctx, e, r)
			}}
		}}, []string{
			"names-summary", "alias-call", "call-outcome", "call-concurrent", "confirm-audited", "cancel-read",
			"cancel-write", "cancel-other", "audit-terminal", "audit-caller",
		}},
	}
}

type claimedKey struct{}
