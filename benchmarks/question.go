package main

import (
	"encoding/json"
	"fmt"
)

// questionGroup has a call that a person must approve: the call, which is
// answered with a question, and the same call with the person's answer.
func questionGroup() group {
	return group{name: "question", variants: []variant{
		guarded("plain_call", full, same(message(validArguments)), checkOrder),
		{name: "question_and_answer", open: func() (func() error, func(), error) {
			t, err := orders(toolName).ConfirmAlways().Build()
			if err != nil {
				return nil, nil, err
			}
			s, end, err := serve(t, discarded())
			if err != nil {
				return nil, nil, err
			}
			ctx, err := joined(s)
			return func() error {
				raw, err := json.Marshal(s.HandleMessage(ctx, modern("")))
				if err != nil {
					return err
				}
				var question struct{ Result struct{ RequestState string } }
				if err := json.Unmarshal(raw, &question); err != nil || question.Result.RequestState == "" {
					return fmt.Errorf("no question: %.300s", raw)
				}
				raw, err = json.Marshal(s.HandleMessage(ctx, modern(fmt.Sprintf(
					`,"requestState":%q,"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}}`,
					question.Result.RequestState))))
				if err != nil {
					return err
				}
				return checkOrder(raw)
			}, end, err
		}},
	}}
}

// modern returns a tools/call of protocol 2026-07-28, in which a question is
// the answer of its call. members begin with a comma.
func modern(members string) []byte {
	return messageOf(toolName, validArguments, members+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`)
}
