package main

import (
	"os"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

func TestMain(m *testing.M) {
	exampletest.MainOnSDKs(m, func() int { return server().Main(os.Args[1:], os.Stdout, os.Stderr) }, "-data", "testdata")
}

func TestServer_EnforcesThePolicyOfTheDesk(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	for _, version := range []string{exampletest.Legacy, exampletest.Modern} {
		c := exampletest.As(t, url, "alice", version)
		listed, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		require.NoError(t, err)
		assert.Equal(t, 13+1, len(listed.Tools), "the lookup of earlier calls is the last one") //nolint:testifylint // Len prints them all
		for _, call := range []struct{ tool, arguments, code string }{
			{"cancel_reservation", `{"reservation_id":"R00005"}`, contract.CodePermissionDenied},
			{"cancel_reservation", `{"reservation_id":"R00002"}`, "not_cancellable"},
			{"cancel_reservation", `{"reservation_id":"R00006"}`, contract.CodeConfirmationRequired},
			{"update_reservation_flights", `{"reservation_id":"R00001","cabin":"economy","flights":[{"flight_number":"AA1","date":"2024-05-21"}],` +
				`"payment_id":"credit_card_1"}`, "basic_economy"},
			{"update_reservation_flights", `{"reservation_id":"R00002","cabin":"economy","flights":[{"flight_number":"AA3","date":"2024-05-20"}],` +
				`"payment_id":"credit_card_1"}`, "route_changed"},
			{"update_reservation_flights", `{"reservation_id":"R00001","cabin":"economy","flights":[{"flight_number":"AA1","date":"2024-05-20"}],` +
				`"payment_id":"credit_card_1"}`, contract.CodeConfirmationRequired},
			{"update_reservation_baggages", `{"reservation_id":"R00004","total_baggages":1,"nonfree_baggages":0,"payment_id":"credit_card_2"}`,
				"bags_removed"},
			{"update_reservation_baggages", `{"reservation_id":"R00004","total_baggages":4,"nonfree_baggages":0,"payment_id":"credit_card_2"}`,
				"bags_not_paid"},
			{"send_certificate", `{"user_id":"cat_fox_3","amount":50}`, "no_compensation"},
			{"send_certificate", `{"user_id":"cat_fox_3","amount":200}`, contract.CodeConfirmationRequired},
			{"get_user_details", `{"user_id":"nobody"}`, "not_found"},
			{"calculate", `{"expression":"1/0"}`, "not_an_expression"},
			{"calculate", `{"expression":"2*(30+0.5)"}`, ""},
		} {
			_, outcome := exampletest.Call(t, c, call.tool, call.arguments)
			assert.Equal(t, call.code, outcome.Code, "%s %s", call.tool, call.arguments)
		}
	}
}
