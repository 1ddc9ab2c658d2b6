package verify

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/contracttest/observe"
)

// A comparer compares JSON values and ignores volatile members.
type comparer struct{ volatile []string }

// differences returns the JSON Pointers at which two values differ, in order.
func (c comparer) differences(at string, a, b any) []string {
	if c.isVolatile(at) {
		return nil
	}
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			names := maps.Clone(a)
			maps.Copy(names, b)
			var all []string
			for _, name := range slices.Sorted(maps.Keys(names)) {
				one, inA := a[name]
				other, inB := b[name]
				if inA != inB {
					if pointer := appendToken(at, name); !c.isVolatile(pointer) {
						all = append(all, pointer)
					}
					continue
				}
				all = append(all, c.differences(appendToken(at, name), one, other)...)
			}
			return all
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			var all []string
			for i := range a {
				all = append(all, c.differences(at+"/"+strconv.Itoa(i), a[i], b[i])...)
			}
			return all
		}
	}
	one, errOne := observe.Marshal(a)
	other, errOther := observe.Marshal(b)
	if errOne == nil && errOther == nil && string(one) == string(other) {
		return nil
	}
	return []string{at}
}

func (c comparer) isVolatile(at string) bool {
	return slices.ContainsFunc(c.volatile, func(pattern string) bool {
		want, ok := tokensOf(pattern)
		got, okAt := tokensOf(at)
		return ok && okAt && slices.EqualFunc(want, got, func(w, g string) bool { return w == "*" || w == g })
	})
}

// tree parses JSON that the guard wrote. No JSON gives nil.
func tree(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	value, err := observe.Parse(raw)
	if err != nil {
		return nil
	}
	return value
}

// answerOf returns the parts of a result that an equal call must return too.
func answerOf(r *contracttest.Result) map[string]any {
	answer := map[string]any{"status": "ok"}
	if r.IsError {
		answer["status"] = "error"
		answer["code"] = r.Outcome.Code
		return answer
	}
	if r.Structured != nil {
		answer["result"] = tree(r.Structured)
		return answer
	}
	answer["text"] = r.Text
	if r.Content != nil {
		answer["content"] = tree(json.RawMessage(encodedJSON(r.Content)))
	}
	return answer
}
