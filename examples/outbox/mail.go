package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/riverqueue/river"
)

// A mail is the job of one mail. Its key is that of the call.
type mail struct {
	Key   string `json:"key"`
	To    string `json:"to"`
	Visit string `json:"visit"`
}

// Kind implements [river.JobArgs].
func (mail) Kind() string { return "mail" }

// A sender sends mails. River tries a mail again if that fails, and if the
// process ends before the job is complete.
type sender struct {
	river.WorkerDefaults[mail]

	outbox *outbox
}

// Work posts a mail to the provider, with the key by which the provider
// recognizes it.
func (s *sender) Work(ctx context.Context, job *river.Job[mail]) error {
	body, err := json.Marshal(job.Args)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.outbox.provider, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", job.Args.Key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("outbox: the provider answered %d", response.StatusCode)
	}
	if s.outbox.sent != nil {
		s.outbox.sent()
	}
	return nil
}
