package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

var errNoAnswer = errors.New("the client did not answer a request of the tool")

// noAnswer is what a typed handler gets for a question that its client did not
// answer: as for a question of the guard, no answer counts as a decline.
var noAnswer = json.RawMessage(`{"action":"cancel"}`)

// fulfil sends the requests of a handler to an older client, one after the
// other, and returns the responses.
func (e *Entry) fulfil(ctx context.Context, send func(context.Context, string, json.RawMessage) (json.RawMessage, error),
	r *exchange.Result) (map[string]json.RawMessage, error) {
	var requests map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	err := json.Unmarshal(r.Requests, &requests)
	responses := map[string]json.RawMessage{}
	r.WhileWaiting(func(waiting context.Context) {
		for _, key := range slices.Sorted(maps.Keys(requests)) {
			response, failed := send(waiting, requests[key].Method, requests[key].Params)
			switch {
			case failed == nil:
				responses[key] = response
			case bound.Of(e.tool).Facts().Asks:
				responses[key] = noAnswer
			default:
				err = errNoAnswer
				return
			}
		}
	})
	if ctx.Err() != nil { // the client has left, which is no answer
		return nil, ctx.Err()
	}
	return responses, err
}
