package dev

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
)

func now() string { return time.Now().Format(time.TimeOnly) }

// note shows a call and its outcome, but no argument and no result. A nil
// answer means that the server gave none.
func (s *session) note(m message, answer json.RawMessage, began time.Time) {
	if m.Method != "tools/call" {
		return
	}
	var a struct {
		Result struct {
			IsError    bool                       `json:"isError"`
			ResultType string                     `json:"resultType"`
			Meta       map[string]json.RawMessage `json:"_meta"`
		} `json:"result"`
		Error *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	var outcome struct {
		Status string `json:"status"`
		Code   string `json:"code"`
		URL    string `json:"url"`
	}
	_ = json.Unmarshal(answer, &a) // what is missing is not shown
	_ = json.Unmarshal(a.Result.Meta[contract.MetaKeyOutcome], &outcome)
	style := cli.Red
	var words string
	switch {
	case answer == nil:
		words = "no answer: the server ended"
	case a.Error != nil:
		words = fmt.Sprintf("refused: error %d", a.Error.Code)
	case a.Result.IsError:
		words = "failed: " + cmp.Or(outcome.Code, "the server declares no code")
	case a.Result.ResultType == "input_required":
		style, words = cli.Yellow, "asks a person"
	default:
		style = cli.Green
		words = cmp.Or(outcome.Status, "ok")
	}
	line := fmt.Sprintf("%s %s %s, %d ms", now(), cli.OneLine(m.Params.Name), cli.Paint(s.on.Stderr, style, cli.OneLine(words)),
		time.Since(began).Milliseconds())
	if outcome.URL != "" {
		line += "; address: " + cli.OneLine(outcome.URL)
	}
	s.on.Note("%s", line)
}

// withMember returns a JSON object with one member replaced. The other members
// keep their JSON.
func withMember(object json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return object
	}
	members[name] = value
	changed, err := json.Marshal(members)
	if err != nil {
		return object
	}
	return changed
}

// withListChanged returns the answer to initialize with the declaration that
// the server's list of tools can change, because a restart can change it.
func withListChanged(answer json.RawMessage) json.RawMessage {
	var a, result, capabilities, tools map[string]json.RawMessage
	if json.Unmarshal(answer, &a) != nil || json.Unmarshal(a["result"], &result) != nil ||
		json.Unmarshal(result["capabilities"], &capabilities) != nil ||
		json.Unmarshal(capabilities["tools"], &tools) != nil || tools == nil {
		return answer // an error, or a server without tools
	}
	tools["listChanged"] = json.RawMessage("true")
	for _, step := range []struct {
		into map[string]json.RawMessage
		name string
		part any
	}{{capabilities, "tools", tools}, {result, "capabilities", capabilities}, {a, "result", result}} {
		encoded, err := json.Marshal(step.part)
		if err != nil {
			return answer
		}
		step.into[step.name] = encoded
	}
	changed, err := json.Marshal(a)
	if err != nil {
		return answer
	}
	return changed
}
