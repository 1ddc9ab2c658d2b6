package docs_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type pageInput struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"maxLength=100" jsonschema_description:"The member next of the page before."`
}

type pageOutput struct {
	Titles []string `json:"titles"`
	Next   string   `json:"next,omitempty" jsonschema_description:"The cursor of the next page. The last page has none."`
}

var errCursor = contract.Retryable("cursor_invalid", "The cursor is not one of this list. Begin without one.")

// titlesAfter stands in for your database. It returns at most n titles that
// come after one, in their order.
func titlesAfter(_ context.Context, after string, n int) []string {
	titles := []string{"Agenda", "Budget", "Contacts", "Diary", "Errands"}
	at, found := slices.BinarySearch(titles, after)
	if found {
		at++
	}
	return titles[at:min(at+n, len(titles))]
}

func listTitles(ctx context.Context, in pageInput) (pageOutput, error) {
	const size = 2
	after, err := base64.RawURLEncoding.DecodeString(in.Cursor)
	if err != nil {
		return pageOutput{}, errCursor.At("/cursor")
	}
	titles := titlesAfter(ctx, string(after), size+1) // one more shows whether there is a next page
	if len(titles) <= size {
		return pageOutput{Titles: titles}, nil
	}
	titles = titles[:size]
	return pageOutput{Titles: titles, Next: base64.RawURLEncoding.EncodeToString([]byte(titles[size-1]))}, nil
}

func Example_pagination() {
	list := contract.New("titles.list", listTitles).
		Description("Lists the titles of all notes, two on a page.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("notes:read").
		Failures(errCursor).
		MustBuild()

	c := callerOf(list, anna("notes:read"))
	c.call(`{}`)
	c.call(`{"cursor":"QnVkZ2V0"}`)
	c.call(`{"cursor":"RGlhcnk"}`)
	c.call(`{"cursor":"*"}`)
	// Output:
	// {"titles":["Agenda","Budget"],"next":"QnVkZ2V0"}
	// {"titles":["Contacts","Diary"],"next":"RGlhcnk"}
	// {"titles":["Errands"]}
	// cursor_invalid: The cursor is not one of this list. Begin without one.
	// At /cursor in the arguments.
}

type backupInput struct {
	Disk string `json:"disk"`
}

type jobInput struct {
	Job int `json:"job"`
}

type job struct {
	Job   int    `json:"job"`
	State string `json:"state" jsonschema:"enum=running,enum=done"`
}

func Example_longWork() {
	// jobs stands in for a queue that outlives the process.
	jobs := []string{}
	start := contract.New("backups.start", func(context.Context, backupInput) (job, error) {
		jobs = append(jobs, "running")
		return job{len(jobs), "running"}, nil
	}).
		Description("Starts a backup of a disk. It takes about an hour; ask backups.get for its end.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("backups:write").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed}). // so a repeated call starts no second one
		MustBuild()
	get := contract.New("backups.get", func(_ context.Context, in jobInput) (job, error) {
		if in.Job < 1 || in.Job > len(jobs) {
			return job{}, errNoJob.At("/job")
		}
		return job{in.Job, jobs[in.Job-1]}, nil
	}).
		Description("Returns the state of a backup.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("backups:write").
		Failures(errNoJob).
		MustBuild()

	c := callerOf(start, anna("backups:write"), get)
	c.call(`{"disk":"home"}`)
	c.call(`{"disk":"home"}`)
	jobs[0] = "done"
	c.other("backups.get").call(`{"job":1}`)
	// Output:
	// {"job":1,"state":"running"}
	// {"job":1,"state":"running"}
	// {"job":1,"state":"done"}
}

var errNoJob = contract.Retryable("no_such_job", "There is no such backup.")

type exportOutput struct {
	Rows  int      `json:"rows"`
	First []string `json:"first" jsonschema_description:"The first rows, as an example."`
}

func Example_largeResult() {
	export := contract.New("orders.export", func(context.Context, struct{}) (contract.Reply[exportOutput], error) {
		file := contract.LinkContent{
			URI: "https://files.example.com/orders-2026.csv", Name: "orders-2026.csv", MIMEType: "text/csv",
		}
		return contract.Reply[exportOutput]{
			Out:     exportOutput{Rows: 48_000, First: []string{"1001,ACME,40.00"}},
			Content: []contract.Content{file},
		}, nil
	}).
		Description("Exports the orders of this year to a file.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("orders:read").
		MustBuild()

	r := callerOf(export, anna("orders:read")).result(`{}`)
	link, _ := r.Content[1].(contract.LinkContent)
	fmt.Println(string(r.Structured), link.URI)
	// Output: {"rows":48000,"first":["1001,ACME,40.00"]} https://files.example.com/orders-2026.csv
}

var errProvider = contract.Retryable("provider_unavailable", "The payment provider does not answer.").EffectPossible()

// charge calls a provider at most three times, each time with the same key, so
// that the provider charges once.
func charge(ctx context.Context, provider string) error {
	key, _ := guard.IdempotencyKey(ctx)
	for attempt := range 3 {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, provider, nil)
		if err != nil {
			return err
		}
		r.Header.Set("Idempotency-Key", key)
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
				return fmt.Errorf("the provider refused with %s", resp.Status) // a repetition changes nothing
			}
		}
		select {
		case <-ctx.Done(): // the Timeout of the contract
		case <-time.After(100 * time.Millisecond << attempt):
		}
	}
	return errProvider.After(time.Minute)
}

func Example_provider() {
	keys := map[string]int{}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if keys[key]++; keys[key] == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer provider.Close()
	pay := contract.New("invoices.charge", func(ctx context.Context, _ payInput) (struct{}, error) {
		return struct{}{}, charge(ctx, provider.URL)
	}).
		Description("Charges the card of a customer.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("invoices:write").
		Timeout(30 * time.Second).
		Idempotency(contract.Idempotency{
			Mode:      idempotency.Managed,
			OnUnknown: idempotency.Rerun, // the provider deduplicates by the key
		}).
		Failures(errProvider).
		MustBuild()

	fmt.Println(callerOf(pay, anna("invoices:write")).result(`{"invoice":"17"}`).Outcome.Status)
	for key, calls := range keys {
		fmt.Println(len(key), "digits, calls:", calls)
	}
	// Output:
	// ok
	// 64 digits, calls: 2
}

type paymentOutput struct {
	Payment string `json:"payment"`
}

// makePayment pays with the key of the call.
func makePayment(ctx context.Context, provider string) (paymentOutput, error) {
	key, _ := guard.IdempotencyKey(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, provider+"/payments", nil)
	if err != nil {
		return paymentOutput{}, err
	}
	r.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return paymentOutput{}, err
	}
	var made paymentOutput
	err = json.NewDecoder(resp.Body).Decode(&made)
	return made, errors.Join(err, resp.Body.Close())
}

// findPayment asks the provider for the payment that was made with that key.
func findPayment(ctx context.Context, provider string) (contract.Reconciled[paymentOutput], error) {
	var found contract.Reconciled[paymentOutput] // the zero value: not known
	key, _ := guard.IdempotencyKey(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, provider+"/payments/"+key, nil)
	if err != nil {
		return found, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return found, err
	}
	switch resp.StatusCode {
	case http.StatusOK:
		var made paymentOutput
		err = json.NewDecoder(resp.Body).Decode(&made)
		found = contract.Happened(made)
	case http.StatusNotFound:
		found = contract.DidNotHappen[paymentOutput]()
	default:
		found = contract.NotKnown[paymentOutput](time.Minute)
	}
	return found, errors.Join(err, resp.Body.Close())
}

func Example_didItHappen() {
	payments := map[string]string{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /payments", func(_ http.ResponseWriter, r *http.Request) {
		payments[r.Header.Get("Idempotency-Key")] = fmt.Sprintf(`{"payment":"p%d"}`, len(payments)+1)
		panic(http.ErrAbortHandler) // the connection ends without an answer
	})
	mux.HandleFunc("GET /payments/{key}", func(w http.ResponseWriter, r *http.Request) {
		made, found := payments[r.PathValue("key")]
		if !found {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, made)
	})
	provider := httptest.NewServer(mux)
	defer provider.Close()
	pay := contract.New("payments.make", func(ctx context.Context, _ payInput) (paymentOutput, error) {
		return makePayment(ctx, provider.URL)
	}).
		Description("Pays an invoice.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("invoices:write").
		Idempotency(contract.Idempotency{
			Mode:      idempotency.Managed,
			KeyFields: []string{"invoice"},
			OnUnknown: idempotency.Rerun, // the provider deduplicates by the key
		}).
		Reconcile(func(ctx context.Context, _ payInput, _ time.Time) (contract.Reconciled[paymentOutput], error) {
			return findPayment(ctx, provider.URL)
		}, contract.Reconciling{}).
		MustBuild()

	c := callerOf(pay, anna("invoices:write"))
	for range 2 {
		r := c.result(`{"invoice":"17"}`)
		fmt.Printf("%s: %s\n", r.Outcome.Status, cmp.Or(r.Outcome.Code, string(r.Structured)))
	}
	fmt.Println("payments:", len(payments))
	// Output:
	// error: internal_error
	// replayed: {"payment":"p1"}
	// payments: 1
}

func Example_tenants() {
	// customers stands in for a database with the tenant in each key.
	customers := map[[2]string]string{{"acme", "1"}: "Anna Example", {"globex", "1"}: "Max Example"}
	find := contract.New("customers.get", func(ctx context.Context, in customerInput) (string, error) {
		caller, _ := guard.PrincipalFrom(ctx)
		name, found := customers[[2]string{caller.Tenant, in.ID}] // never a tenant of the arguments
		if !found {
			return "", errNoCustomer.At("/id")
		}
		return name, nil
	}).
		Description("Returns the name of a customer.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("customers:read").
		Failures(errNoCustomer).
		MustBuild()

	for _, tenant := range []string{"acme", "globex", "initech"} {
		caller := anna("customers:read")
		caller.Tenant = tenant
		callerOf(find, caller).call(`{"id":"1"}`)
	}
	// Output:
	// Anna Example
	// Max Example
	// no_such_customer: There is no such customer.
	// At /id in the arguments.
}

type customerInput struct {
	ID string `json:"id"`
}

var errNoCustomer = contract.Retryable("no_such_customer", "There is no such customer.")

// In the bubble of synctest, time stands still until all goroutines wait.
func TestReminder_RunsAgainAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send := contract.New("reminders.send", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }).
			Description("Reminds the team.").Version("1.0.0").
			Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("reminders:send").
			RateLimit(1, time.Hour).
			MustBuild()
		c := contracttest.NewClient(t, []*contract.Tool{send}).As(anna("reminders:send"))

		c.Call("reminders.send", struct{}{})
		if r := c.Call("reminders.send", struct{}{}); r.Outcome.Code != contract.CodeRateLimitExceeded {
			t.Error("ran twice within the hour:", r.Text)
		}
		time.Sleep(time.Hour)
		if r := c.Call("reminders.send", struct{}{}); r.Outcome.Status != contract.StatusOK {
			t.Error(r.Text)
		}
	})
}
