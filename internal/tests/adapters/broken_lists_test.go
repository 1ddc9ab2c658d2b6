package adapters_test

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// A shown is a table that lists other tools.
type shown struct {
	contracts
	lists func(ctx context.Context) func(*adapter.Entry) bool
}

func (s shown) Lists(ctx context.Context) func(*adapter.Entry) bool { return s.lists(ctx) }

// A cursors is a table with other cursors.
type cursors struct {
	contracts
	seal func(string) string
	open func(string) (string, bool)
}

func (c cursors) SealCursor(cursor string) string         { return c.seal(cursor) }
func (c cursors) OpenCursor(sealed string) (string, bool) { return c.open(sealed) }

func openText(sealed string) (string, bool) {
	plain, err := base64.RawURLEncoding.DecodeString(sealed)
	return strings.TrimRight(string(plain), "\x00"), err == nil
}

func brokenLists() []breach {
	return []breach{
		{"it lists the tools that the caller may not see", quirk{table: func(c contracts) contracts {
			return shown{c, func(context.Context) func(*adapter.Entry) bool {
				return func(e *adapter.Entry) bool { return !e.IsAlias() }
			}}
		}}, []string{
			"list-permissions", "list-discover", "list-revoked", "list-empty", "page-complete", "call-no-permissions",
			"identity-meta", "identity-client", "identity-arguments", "identity-params",
		}},
		{"it lists what the first caller may see", quirk{table: func(c contracts) contracts {
			var once sync.Once
			var first func(*adapter.Entry) bool
			return shown{c, func(ctx context.Context) func(*adapter.Entry) bool {
				once.Do(func() { first = c.Lists(ctx) })
				return first
			}}
		}}, []string{"list-permissions", "list-discover", "list-revoked", "page-complete"}},
		{"it lists aliases", quirk{out: onTools(func(tools []any) any {
			for _, t := range tools {
				if t := t.(map[string]any); t["name"] == "notes.write" {
					return append(tools, map[string]any{"name": "notes.add", "description": "", "inputSchema": t["inputSchema"]})
				}
			}
			return tools
		})}, []string{"list-hints", "list-permissions", "list-discover", "list-aliases", "page-complete", "page-forbidden"}},
		{"it lists forbidden tools", quirk{out: onTools(func(tools []any) any {
			for _, t := range tools {
				if t.(map[string]any)["name"] == "notes.write" {
					return append(tools, map[string]any{"name": "keys.read", "inputSchema": map[string]any{"type": "object"}})
				}
			}
			return tools
		})}, []string{"list-hints", "list-permissions", "list-discover", "list-forbidden", "page-complete", "page-forbidden"}},
		{"it lists the latest tool first", quirk{out: onTools(func(tools []any) any { slices.Reverse(tools); return tools })},
			[]string{"list-order", "list-permissions", "page-complete", "names-texts"}},
		{"its empty list is null", quirk{out: onTools(func(tools []any) any {
			if len(tools) == 0 {
				return nil
			}
			return tools
		})}, []string{"list-empty"}},
		{"it loses descriptions", quirk{out: onTool(func(tool map[string]any) { delete(tool, "description") })},
			[]string{"list-definition", "names-texts"}},
		{"it loses titles", quirk{out: onTool(func(tool map[string]any) { delete(tool, "title") })}, []string{"list-definition"}},
		{"it loses keywords of schemas", quirk{out: onTool(func(tool map[string]any) {
			delete(at(tool, "inputSchema"),
				"additionalProperties")
		})}, []string{"list-definition"}},
		{"it loses hints", quirk{out: onTool(func(tool map[string]any) { delete(tool, "annotations") })}, []string{"list-hints"}},
		{"it always lists whole contracts", quirk{settings: func(s *Settings) { s.Tier = contract.TierFull }},
			[]string{"list-tier-summary", "list-tier-hints", "list-aliases", "page-forbidden"}},
		{"it lists no contracts", quirk{settings: func(s *Settings) { s.Tier = contract.TierHints }},
			[]string{"list-tier-summary", "list-tier-full", "names-summary"}},
		{"it lists summaries in place of contracts", quirk{settings: func(s *Settings) {
			s.Tier = min(s.Tier,
				contract.TierSummary)
		}}, []string{"list-tier-full", "list-tier-hints"}},
		{"it lets caches share lists", quirk{out: func(m map[string]any) bool {
			if result := at(m, "result"); result["cacheScope"] != nil {
				result["cacheScope"] = "public"
			}
			return true
		}}, []string{"list-cache"}},
		{"its cursors are the names of tools", quirk{table: func(c contracts) contracts {
			return cursors{c, func(cursor string) string { return cursor }, func(sealed string) (string, bool) { return sealed, true }}
		}}, []string{"cursor-opaque", "cursor-forged", "cursor-elsewhere"}},
		{"its cursors encode the names of tools", quirk{table: func(c contracts) contracts {
			return cursors{c, func(cursor string) string {
				return base64.RawURLEncoding.EncodeToString(append([]byte(cursor), make([]byte, 200-len(cursor))...))
			}, openText}
		}}, []string{"cursor-opaque", "cursor-forged", "cursor-elsewhere"}},
		{"the length of its cursors is that of a name", quirk{table: func(c contracts) contracts {
			return cursors{c, func(cursor string) string { return c.SealCursor(cursor) + strings.Repeat("_", len(cursor)) },
				func(sealed string) (string, bool) { return c.OpenCursor(strings.TrimRight(sealed, "_")) }}
		}}, []string{"cursor-opaque", "cursor-forged"}},
		{"its cursors count on every server", quirk{table: func() func(c contracts) contracts {
			var mu sync.Mutex
			sealed := map[string]string{}
			return func(c contracts) contracts {
				return cursors{c, func(cursor string) string {
					mu.Lock()
					defer mu.Unlock()
					s := c.SealCursor(cursor)
					sealed[s] = cursor
					return s
				}, func(s string) (string, bool) {
					mu.Lock()
					defer mu.Unlock()
					cursor, ok := sealed[s]
					return cursor, ok
				}}
			}
		}()}, []string{"cursor-elsewhere"}},
		{"a bad cursor begins the list again", quirk{table: func(c contracts) contracts {
			return cursors{c, c.SealCursor, func(sealed string) (string, bool) {
				cursor, _ := c.OpenCursor(sealed)
				return cursor, true
			}}
		}}, []string{"cursor-forged", "cursor-elsewhere"}},
		{"it loses the last page", quirk{out: func(m map[string]any) bool {
			if result := at(m, "result"); result["nextCursor"] != nil {
				if tools, ok := result["tools"].([]any); ok && len(tools) == 2 {
					delete(result, "nextCursor")
				}
			}
			return true
		}}, []string{"page-complete"}},
	}
}
