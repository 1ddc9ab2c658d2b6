package docs_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type stayIn struct {
	_ contract.Tags       `name:"rooms.book" version:"1.0.0" description:"Books a room for one night."`
	_ contract.Tags       `effect:"low-risk-write" trust:"trusted" permissions:"rooms:book" rateLimit:"20/1m"`
	_ contract.FailureTag `code:"room_taken" class:"retryable" description:"The room is taken that night."`
	_ contract.FailureTag `code:"hotel_closed" class:"fatal" description:"The hotel is closed for good."`

	Room  string `json:"room"  jsonschema:"enum=single,enum=double"`
	Night string `json:"night" jsonschema:"format=date"`
}

type stayOut struct {
	Booking string `json:"booking"`
}

var (
	errTaken  = contract.Retryable("room_taken", "The room is taken that night.")
	errClosed = contract.Fatal("hotel_closed", "The hotel is closed for good.")
)

func bookRoom(_ context.Context, in stayIn) (stayOut, error) {
	switch {
	case in.Night >= "2030":
		return stayOut{}, errClosed
	case in.Room == "double":
		return stayOut{}, errTaken.At("/room")
	}
	return stayOut{"b1"}, nil
}

type plainStayIn struct {
	Room  string `json:"room"  jsonschema:"enum=single,enum=double"`
	Night string `json:"night" jsonschema:"format=date"`
}

func bookPlain(ctx context.Context, in plainStayIn) (stayOut, error) {
	return bookRoom(ctx, stayIn{Room: in.Room, Night: in.Night})
}

// The builder declares the same contract as the tags.
func TestREADME_DeclaresOneContractTwice(t *testing.T) {
	t.Parallel()
	tool := contract.New("rooms.book", bookPlain).
		Description("Books a room for one night.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("rooms:book").RateLimit(20, time.Minute).
		Failures(errTaken, errClosed).
		MustBuild()
	assert.Equal(t, contract.New("", bookRoom).MustBuild().Digest(), tool.Digest())
}

// What a client of that tool gets: its entry of tools/list, then a failure that
// the caller may correct, then a final one. With -update, the test records it.
func TestREADME_ShowsWhatIsOnTheWire(t *testing.T) {
	const recorded = "docs/testdata/wire.txt"
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithPrincipal(guard.PrincipalFunc(
		func(context.Context) (guard.Principal, error) { return anna("rooms:book"), nil })))
	require.NoError(t, err)
	s, err := mcpgo.NewServer("hotel", "1.0.0", g, mcpgo.WithTools(contract.New("", bookRoom).MustBuild()))
	require.NoError(t, err)
	result := func(method, params string) any {
		answer, ok := s.HandleMessage(t.Context(),
			json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)).(mcp.JSONRPCResponse)
		require.True(t, ok, method)
		return answer.Result
	}
	listed, ok := result("tools/list", `{}`).(mcp.ListToolsResult)
	require.True(t, ok)
	require.Len(t, listed.Tools, 1)
	var text strings.Builder
	for _, shown := range []any{
		listed.Tools[0],
		result("tools/call", `{"name":"rooms_book","arguments":{"room":"double","night":"2027-05-01"}}`),
		result("tools/call", `{"name":"rooms_book","arguments":{"room":"single","night":"2031-05-01"}}`),
	} {
		text.WriteString(spaced(t, shown) + "\n")
	}
	got := regexp.MustCompile(`"callId": "\w+"`).ReplaceAllString(text.String(), `"callId": "…"`)
	if *update {
		require.NoError(t, os.WriteFile(recorded, []byte(got), 0o600))
	}
	sameText(t, got, read(t, recorded), recorded)
}

// spaced returns a value as one line of JSON with a space after each comma and
// colon, where a page can break it.
func spaced(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "\t")
	require.NoError(t, err)
	line := strings.ReplaceAll(string(text), "\n", " ")
	line = strings.ReplaceAll(line, "\t", "")
	return strings.NewReplacer("{ ", "{", " }", "}", "[ ", "[", " ]", "]").Replace(line)
}
