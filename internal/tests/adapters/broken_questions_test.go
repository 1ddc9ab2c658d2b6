package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

func brokenQuestions() []breach {
	accepts := json.RawMessage(`{"action":"accept","content":{"confirm":true}}`)
	return []breach{
		{"it never asks", quirk{call: onRequest(func(r *adapter.Request) { r.Client.Capabilities = adapter.Capabilities{} })}, []string{
			"confirm-asked", "confirm-typed", "confirm-links", "confirm-accepted", "confirm-declined",
			"confirm-cancelled", "confirm-unclear", "confirm-capabilities", "confirm-open", "confirm-audited",
			"state-arguments", "state-caller", "state-tool", "state-server", "state-reused", "state-key", "state-revoked",
			"stepup-address", "stepup-unproven",
		}},
		{"it asks clients that cannot show forms", quirk{call: onRequest(func(r *adapter.Request) {
			r.Client.Capabilities.Elicitation = &adapter.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}
		})}, []string{"confirm-incapable", "confirm-capabilities", "stepup-incapable", "stepup-claimed", "challenge-metadata"}},
		{"it opens no addresses", quirk{call: onRequest(func(r *adapter.Request) {
			if r.Client.Capabilities.Elicitation != nil {
				r.Client.Capabilities.Elicitation = &adapter.ElicitationCapability{}
			}
		})}, []string{"confirm-incapable", "stepup-address", "stepup-unproven"}},
		{"a newer request declares for the session", quirk{conn: func(_ Settings,
			conn io.ReadWriteCloser) io.ReadWriteCloser {
			return &declaring{pipes: conn.(*pipes)}
		}}, []string{"confirm-capabilities"}},
		{"a declined question counts as approved", quirk{call: onResponses(func(m map[string]any) {
			if m["action"] == "decline" {
				m["action"], m["content"] = "accept", map[string]any{"confirm": true}
			}
		})}, []string{"confirm-asked", "confirm-declined", "confirm-capabilities"}},
		{"a dismissed question counts as approved", quirk{call: onResponses(func(m map[string]any) {
			if m["action"] == "cancel" {
				m["action"], m["content"] = "accept", map[string]any{"confirm": true}
			}
		})}, []string{"confirm-cancelled"}},
		{"it reads answers generously", quirk{call: onResponses(func(m map[string]any) {
			if content, ok := m["content"].(map[string]any); ok && content["confirm"] == "true" {
				content["confirm"] = true
			}
		})}, []string{"confirm-unclear"}},
		{"it types for the person", quirk{call: onResponses(func(m map[string]any) {
			if content, ok := m["content"].(map[string]any); ok && content["word"] == "other" {
				content["word"] = "first"
			}
		})}, []string{"confirm-typed"}},
		{"an answer without a question counts", quirk{call: func(next callFunc) callFunc {
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				if len(r.Client.Answers) > 0 && r.Client.State == "" {
					answers := r.Client.Answers
					r.Client.Answers, r.Client.Modern = nil, true
					a, err := next(ctx, e, r)
					if err != nil {
						return nil, err
					}
					r.Client.State, r.Client.Answers = a.State, answers
				}
				return next(ctx, e, r)
			}
		}}, []string{"confirm-unsolicited"}},
		{"an answer to any question counts", quirk{call: onRequest(func(r *adapter.Request) {
			if _, ok := r.Client.Answers["other"]; ok {
				r.Client.Answers = map[string]json.RawMessage{"confirm": accepts}
			}
		})}, []string{"state-key"}},
		{"it asks again if a state does not count", quirk{call: func(next callFunc) callFunc {
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				a, err := next(ctx, e, r)
				if errors.Is(err, exchange.ErrRejectedState) {
					r.Client.State, r.Client.Answers = "", nil
					return next(ctx, e, r)
				}
				return a, err
			}
		}}, []string{"state-forged", "state-arguments", "state-caller", "state-tool", "state-server"}},
		{"it repeats a state that does not count", quirk{call: func(next callFunc) callFunc {
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				a, err := next(ctx, e, r)
				if errors.Is(err, exchange.ErrRejectedState) {
					err = fmt.Errorf("the state %s does not count", r.Client.State)
				}
				return a, err
			}
		}}, []string{"state-forged"}},
		{"it keeps the answer to a state", quirk{call: func(next callFunc) callFunc {
			var mu sync.Mutex
			kept := map[string]*adapter.CallResult{}
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				state := r.Client.State
				mu.Lock()
				old := kept[state]
				mu.Unlock()
				if state != "" && old != nil {
					return old, nil
				}
				a, err := next(ctx, e, r)
				mu.Lock()
				defer mu.Unlock()
				if err == nil && state != "" && a.Outcome.Status == contract.StatusOK {
					kept[state] = a
				}
				return a, err
			}
		}}, []string{"state-reused"}},
		{"all its servers have one name", quirk{settings: func(s *Settings) { s.Server = "adapters" }},
			[]string{"state-server"}},
		{"it loses states", quirk{call: onRequest(func(r *adapter.Request) { r.Client.State = "" })}, []string{
			"confirm-typed", "confirm-accepted", "confirm-declined", "confirm-cancelled", "confirm-audited",
			"state-forged", "state-arguments", "state-caller", "state-tool", "state-server", "state-reused",
			"stepup-address",
		}},
		{"it approves what was asked without the person's state", quirk{call: func(next callFunc) callFunc {
			var mu sync.Mutex
			states := map[string]string{} // the last one for each tool
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				mu.Lock()
				last := states["last"]
				mu.Unlock()
				if r.Client.State != "" && r.Client.State == last {
					fresh := r
					fresh.Client.State, fresh.Client.Answers = "", nil
					if a, err := next(ctx, e, fresh); err == nil && a.State != "" {
						r.Client.State = a.State
					}
				}
				a, err := next(ctx, e, r)
				if err == nil && a.State != "" {
					mu.Lock()
					states["last"] = a.State
					mu.Unlock()
				}
				return a, err
			}
		}}, []string{"confirm-audited", "state-arguments", "state-caller", "state-tool", "state-reused", "stepup-address"}},
		{"its form has a second field", quirk{out: onQuestion(func(p map[string]any) {
			if properties := at(p, "requestedSchema", "properties"); properties != nil {
				properties["reason"] = map[string]any{"type": "string"}
			}
		})}, []string{"confirm-asked", "confirm-typed"}},
		{"its form is filled in", quirk{out: onQuestion(func(p map[string]any) {
			if confirm := at(p, "requestedSchema", "properties", "confirm"); confirm != nil {
				confirm["default"] = true
			}
		})}, []string{"confirm-asked"}},
		{"it asks without the arguments", quirk{out: onQuestion(func(p map[string]any) {
			p["message"], _,
				_ = strings.Cut(fmt.Sprint(p["message"]), "Arguments")
		})}, []string{"confirm-asked"}},
		{"it asks for a boolean in place of a word", quirk{out: onQuestion(func(p map[string]any) {
			if properties := at(p, "requestedSchema", "properties"); properties["word"] != nil {
				properties["word"] = map[string]any{"type": "boolean"}
			}
		})}, []string{"confirm-typed"}},
		{"its questions have links", quirk{out: onQuestion(func(p map[string]any) {
			p["message"] = strings.NewReplacer(`\u0028`, "(", `\u002f`, "/", `\u005b`, "[").Replace(fmt.Sprint(p["message"]))
		})}, []string{"confirm-links"}},
		{"its questions have no id", quirk{out: onQuestion(func(p map[string]any) { delete(p, "elicitationId") })},
			[]string{"stepup-address"}},
		{"it shows the address in the message", quirk{out: onQuestion(func(p map[string]any) {
			if p["url"] != nil {
				p["message"] = fmt.Sprint(p["message"], " ", p["url"])
			}
		})}, []string{"stepup-address"}},
		{"it has no type of result", quirk{out: func(m map[string]any) bool { delete(at(m, "result"), "resultType"); return true }},
			[]string{
				"confirm-asked", "confirm-typed", "confirm-links", "confirm-accepted", "confirm-declined",
				"confirm-cancelled", "confirm-unclear", "confirm-audited", "state-arguments", "state-caller", "state-tool",
				"state-server", "state-reused", "state-key", "state-revoked", "stepup-address", "stepup-unproven",
			}},
	}
}
