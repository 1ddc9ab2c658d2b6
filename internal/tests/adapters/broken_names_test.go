package adapters_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// A named is a table with other names.
type named struct {
	contracts
	entry func(name string) *adapter.Entry
}

func (n named) Entry(name string) *adapter.Entry { return n.entry(name) }

// An audited is a table that audits differently.
type audited struct {
	contracts
	unknown    func(ctx context.Context, name string)
	unparsable func(ctx context.Context)
}

func (a audited) Unknown(ctx context.Context, name string) { a.unknown(ctx, name) }
func (a audited) Unparsable(ctx context.Context)           { a.unparsable(ctx) }

// onError returns a change to JSON-RPC errors.
func onError(change func(e map[string]any, message string)) func(map[string]any) bool {
	return func(m map[string]any) bool {
		if e := at(m, "error"); e != nil {
			message, _ := e["message"].(string)
			change(e, message)
		}
		return true
	}
}

func brokenNames() []breach {
	return []breach{
		{"it always lists dotted names", quirk{settings: func(s *Settings) { s.Naming = contract.Dotted }},
			[]string{"names-underscore", "names-summary", "names-texts", "alias-forms"}},
		{"it takes a name in any form", quirk{table: func(c contracts) contracts {
			return named{c, func(name string) *adapter.Entry {
				for _, form := range []string{name, strings.ReplaceAll(name, ".", "_"), strings.Replace(name, "_", ".", 1)} {
					if e := c.Entry(form); e != nil {
						return e
					}
				}
				return nil
			}}
		}}, []string{"names-dotted", "names-underscore"}},
		{"it takes a name in any case", quirk{table: func(c contracts) contracts {
			return named{c, func(name string) *adapter.Entry { return c.Entry(strings.ToLower(name)) }}
		}}, []string{"unknown-tool"}},
		{"it takes no aliases", quirk{table: func(c contracts) contracts {
			return named{c, func(name string) *adapter.Entry {
				if e := c.Entry(name); e != nil && !e.IsAlias() {
					return e
				}
				return nil
			}}
		}}, []string{"names-texts", "alias-call", "alias-forms", "alias-permissions", "call-rate-limit", "task-refused",
			"task-ignored"}},
		{"it takes aliases only with dots", quirk{table: func(c contracts) contracts {
			return named{c, func(name string) *adapter.Entry {
				if e := c.Entry(name); e != nil && !(e.IsAlias() && strings.Contains(name, "_")) {
					return e
				}
				return nil
			}}
		}}, []string{"names-texts", "alias-forms"}},
		{"it does not name the tool behind an alias", quirk{out: onResult(func(_, o map[string]any) { delete(o, "useName") })},
			[]string{"names-texts", "alias-call", "alias-forms"}},
		{"an unknown name is a result", quirk{out: func(m map[string]any) bool {
			if e := at(m, "error"); e != nil && strings.HasPrefix(fmt.Sprint(e["message"]), "unknown tool") {
				m["result"] = map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": e["message"]}}}
				delete(m, "error")
			}
			return true
		}}, []string{"names-dotted", "names-underscore", "unknown-tool", "unknown-forbidden", "unknown-elsewhere"}},
		{"an unknown name has another code", quirk{out: onError(func(e map[string]any, message string) {
			if strings.HasPrefix(message, "unknown tool") {
				e["code"] = -32601
			}
		})}, []string{"names-dotted", "names-underscore", "unknown-tool", "unknown-forbidden", "unknown-elsewhere"}},
		{"a forbidden tool has another text", quirk{out: onError(func(e map[string]any, message string) {
			if strings.Contains(message, "keys.read") {
				e["message"] = `forbidden tool "keys.read"`
			}
		})}, []string{"unknown-forbidden", "unknown-task"}},
		{"a forbidden tool checks its arguments", quirk{in: func(m map[string]any, raw string) string {
			if p := at(m, "params"); p["name"] == "keys.read" && fmt.Sprint(p["arguments"]) == "[]" {
				return strings.Replace(raw, "tools/call", "tools/cull", 1)
			}
			return raw
		}}, []string{"unknown-forbidden"}},
		{"a forbidden tool has another answer to a task", quirk{in: func(m map[string]any, raw string) string {
			if p := at(m, "params"); p["name"] == "keys.read" && p["task"] != nil {
				return strings.Replace(raw, "tools/call", "tools/cull", 1)
			}
			return raw
		}}, []string{"unknown-task"}},
		{"it names tools of other servers", quirk{out: onError(func(e map[string]any, message string) {
			if strings.Contains(message, "else.where") && !strings.Contains(message, "xlse") {
				e["message"] = "the tool else.where is on another server"
			}
		})}, []string{"unknown-elsewhere"}},
		{"it does not audit unknown names", quirk{table: func(c contracts) contracts {
			return audited{c, func(context.Context, string) {}, c.Unparsable}
		}}, []string{"unknown-audited"}},
		{"it audits unknown names without their caller", quirk{web: true, table: func(c contracts) contracts {
			return audited{c, func(_ context.Context, name string) {
				c.Unknown(guardless{}, name)
			}, c.Unparsable}
		}}, []string{"unknown-audited"}},
		{"it does not audit what it cannot read", quirk{table: func(c contracts) contracts {
			return audited{c, c.Unknown, func(context.Context) {}}
		}}, []string{"unparsable-audited"}},
		{"it audits twice what it cannot read", quirk{table: func(c contracts) contracts {
			return audited{c, c.Unknown, func(ctx context.Context) { c.Unparsable(ctx); c.Unparsable(ctx) }}
		}}, []string{"unparsable-audited"}},
		{"it repeats what it cannot read", quirk{
			in: func(m map[string]any, raw string) string {
				if p, ok := m["params"].(map[string]any); m["method"] == "tools/call" && (!ok || p["name"] == nil ||
					p["name"] != fmt.Sprint(p["name"]) || p["_meta"] == "hunter2") {
					m["params"] = map[string]any{"name": "hunter2"}
					changed, _ := json.Marshal(m)
					return string(changed)
				}
				return raw
			},
		}, []string{"unparsable-audited", "unparsable-echo"}},
	}
}

// guardless is a context without the values of a call.
type guardless struct{}

func (guardless) Deadline() (time.Time, bool) { return time.Time{}, false }
func (guardless) Done() <-chan struct{}       { return nil }
func (guardless) Err() error                  { return nil }
func (guardless) Value(any) any               { return nil }
