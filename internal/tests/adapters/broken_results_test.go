package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

func brokenResults() []breach {
	text := func(result map[string]any) map[string]any {
		if content, ok := result["content"].([]any); ok && len(content) > 0 {
			return content[0].(map[string]any)
		}
		return map[string]any{}
	}
	items := func(change func(item map[string]any)) func(map[string]any) bool {
		return onResult(func(result, _ map[string]any) {
			content, _ := result["content"].([]any)
			for _, item := range content {
				change(item.(map[string]any))
			}
		})
	}
	drop := func(member string) quirk {
		return quirk{out: onResult(func(_, o map[string]any) { delete(o, member) })}
	}
	return []breach{
		{"it loses the class of a failure", drop("class"), []string{"call-refused", "failure-declared"}},
		{"it loses the id of a call", drop("callId"), []string{"call-outcome", "audit-terminal"}},
		{"it loses the version of the contract", drop("contractVersion"), []string{"call-outcome"}},
		{"it loses the trust in a result", drop("contentTrust"), []string{"call-outcome"}},
		{"it loses violations", drop("violations"), []string{"arguments-duplicate", "arguments-encoding", "arguments-not-object",
			"arguments-violations", "failure-declared"}},
		{"it loses missing permissions", drop("missingPermissions"), []string{"call-permissions"}},
		{"it loses delays", drop("retryAfterMs"), []string{"call-rate-limit", "failure-declared"}},
		{"it loses hints of failures", drop("hint"), []string{"names-texts", "failure-declared"}},
		{"it loses the demand of a step-up", drop("stepUp"), []string{"stepup-incapable"}},
		{"it loses the number of removed characters", drop("sanitized"), []string{"content-cleaned"}},
		{"it does not report ignored keys", drop("keyIgnored"), []string{"key-ignored"}},
		{"it lists one violation", quirk{out: onResult(func(_, o map[string]any) {
			if v, ok := o["violations"].([]any); ok {
				o["violations"] = v[:1]
			}
		})}, []string{"arguments-violations"}},
		{"it loses isError", quirk{out: onResult(func(result, _ map[string]any) { delete(result, "isError") })},
			[]string{"call-refused", "failure-declared", "key-failure"}},
		{"its replays are never errors", quirk{out: onResult(func(result, o map[string]any) {
			if o["status"] == "replayed" {
				delete(result, "isError")
			}
		})}, []string{"key-failure"}},
		{"it loses structured content", quirk{out: onResult(func(result, _ map[string]any) { delete(result, "structuredContent") })},
			[]string{"alias-call", "call-result", "call-concurrent", "key-replay", "dryrun-preview", "dryrun-required"}},
		{"it has structured content for texts", quirk{out: onResult(func(result, _ map[string]any) {
			if text(result)["text"] == "a note" {
				result["structuredContent"] = map[string]any{"text": "a note"}
			}
		})}, []string{"call-text"}},
		{"it has structured content for errors", quirk{out: onResult(func(result, _ map[string]any) {
			if result["isError"] == true {
				result["structuredContent"] = map[string]any{"error": true}
			}
		})}, []string{"call-refused", "failure-output", "key-revoked"}},
		{"it loses the text beside structured content", quirk{out: onResult(func(result, _ map[string]any) {
			if result["structuredContent"] != nil {
				result["content"] = []any{}
			}
		})}, []string{"call-result", "content-kinds", "content-annotations", "meta-handler", "key-replay"}},
		{"it sends the errors of handlers", quirk{out: onResult(func(result, o map[string]any) {
			if o["code"] == contract.CodeInternalError {
				text(result)["text"] = "pq: password authentication failed"
			}
		})}, []string{"failure-undeclared", "failure-panic"}},
		{"it sends the beginning of a long result", quirk{out: onResult(func(result, o map[string]any) {
			if o["code"] == contract.CodeResultTooLarge {
				text(result)["text"] = "xxxxxxxxxxxxxxxx"
			}
		})}, []string{"call-result-size"}},
		{"it sends results that violate the schema", quirk{out: onResult(func(result, o map[string]any) {
			if o["code"] == contract.CodeOutputInvalid {
				result["structuredContent"] = map[string]any{"length": 4711}
			}
		})}, []string{"failure-output"}},
		{"it does not answer after a timeout", quirk{out: func(m map[string]any) bool {
			return at(m, "result", "_meta", outcomeKey)["code"] != contract.CodeTimeout
		}}, []string{"failure-timeout"}},
		{"its content is sorted by type", quirk{out: onResult(func(result, _ map[string]any) {
			if content, ok := result["content"].([]any); ok {
				slices.SortStableFunc(content, func(a, b any) int {
					return strings.Compare(fmt.Sprint(a.(map[string]any)["type"]), fmt.Sprint(b.(map[string]any)["type"]))
				})
			}
		})}, []string{"content-kinds"}},
		{"it loses empty texts of resources", quirk{out: items(func(item map[string]any) {
			if r := at(item, "resource"); r["text"] == "" {
				delete(r, "text")
			}
		})}, []string{"content-kinds"}},
		{"it loses the priority 0", quirk{out: items(func(item map[string]any) {
			if a := at(item, "annotations"); fmt.Sprint(a["priority"]) == "0" {
				delete(a, "priority")
			}
		})}, []string{"content-annotations"}},
		{"it loses the _meta of items", quirk{out: items(func(item map[string]any) { delete(item, "_meta") })},
			[]string{"meta-handler"}},
		{"it sends control characters", quirk{out: onResult(func(result, o map[string]any) {
			if o["sanitized"] != nil {
				text(result)["text"] = fmt.Sprint(text(result)["text"], "\x1b[2J")
			}
		})}, []string{"content-cleaned"}},
		{"it removes the tags around texts", quirk{out: onResult(func(result, _ map[string]any) {
			text(result)["text"] = strings.ReplaceAll(fmt.Sprint(text(result)["text"]), "untrusted-content-", "")
		})}, []string{"content-delimited"}},
		{"it loses the _meta of handlers", quirk{out: onResult(func(result, o map[string]any) {
			result["_meta"] = map[string]any{outcomeKey: o}
		})}, []string{"meta-handler", "meta-challenge", "stepup-incapable", "challenge-metadata"}},
		{"handlers set keys of the protocol", quirk{out: onResult(func(result, _ map[string]any) {
			if m := at(result, "_meta"); m["own"] != nil {
				m["io.modelcontextprotocol/x"] = "forged"
			}
		})}, []string{"meta-protocol"}},
		{"handlers set keys of this library", quirk{out: onResult(func(result, _ map[string]any) {
			at(result, "_meta")["io.github.toolcontract/x"] = 1
		})}, []string{"meta-outcome"}},
		{"untrusted tools set challenges", quirk{out: onResult(func(result, o map[string]any) {
			if o["contentTrust"] == "untrusted" {
				at(result, "_meta")["mcp/www_authenticate"] = []string{"Bearer"}
			}
		})}, []string{"meta-challenge"}},
		{"it loses challenges", quirk{out: onResult(func(result, _ map[string]any) {
			delete(at(result, "_meta"),
				"mcp/www_authenticate")
		})}, []string{"meta-challenge", "stepup-incapable", "challenge-metadata"}},
		{"its challenges do not name the metadata", quirk{settings: func(s *Settings) { s.ResourceMetadata = nil }},
			[]string{"challenge-metadata"}},
		{"a declared failure is an error of JSON-RPC", quirk{call: func(next callFunc) callFunc {
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				a, err := next(ctx, e, r)
				if err == nil && a.Outcome.Code == "relay_busy" {
					return nil, errors.New(a.Outcome.Code)
				}
				return a, err
			}
		}}, []string{"failure-declared"}},
		{"a refusal of the limit is an error of JSON-RPC", quirk{call: func(next callFunc) callFunc {
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				a, err := next(ctx, e, r)
				if err == nil && a.Outcome.Code == contract.CodeRateLimitExceeded {
					return nil, errors.New(a.Outcome.Code)
				}
				return a, err
			}
		}}, []string{"call-rate-limit"}},
	}
}
