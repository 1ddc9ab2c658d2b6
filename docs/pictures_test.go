package docs_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/chromiumtest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/trust"
)

type emailInput struct {
	To   string `json:"to"   jsonschema:"format=email"`
	Text string `json:"text" contract:"sensitive"`
}

// sendTool is the tool whose question the pictures show.
func sendTool() *contract.Tool {
	return contract.New("emails.send", func(context.Context, emailInput) (struct{}, error) { return struct{}{}, nil }).
		Description("Sends an email.").Version("1.0.0").
		Effect(risk.ExternalPublication).
		Trust(trust.Trusted).Permissions("emails:send").
		RateLimit(20, time.Minute).
		Failures(contract.Retryable("no_mailbox", "The address cannot receive mail.")).
		MustBuild()
}

// pictureFolder has the pictures of the manual, and beside each the text of the
// page that it shows. This writes both again:
//
//	TOOLCONTRACT_LONG=1 go test ./docs -run Pictures -update
const pictureFolder = "docs/pictures"

// pictureWidth is the width of a picture, in pixels.
const pictureWidth = 640

// largestPicture bounds a picture, in bytes.
const largestPicture = 60 << 10

var picture = regexp.MustCompile(`(?m)^<picture>
<source media="\(prefers-color-scheme: dark\)" srcset="(\S+)-dark\.png">
<img width="\d+" src="(\S+)-light\.png"
  alt="[^"]+">
</picture>$`)

// A page shows each picture in light and in dark, with a text for those who do
// not see it. Each picture is on a page.
func TestPictures_AreLightAndDarkAndSmall(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, page := range append(manual(t), "README.md") {
		text := read(t, page)
		found := picture.FindAllStringSubmatch(text, -1)
		assert.Len(t, found, strings.Count(text, "<img"), "%s: a picture has another form than %s", page, picture)
		for _, m := range found {
			assert.Equal(t, m[1], m[2], page)
			for _, scheme := range []string{"light", "dark"} {
				file := filepath.Join(filepath.Dir(page), m[1]+"-"+scheme+".png")
				info, err := os.Stat(file)
				require.NoError(t, err, "%s shows it", page)
				assert.LessOrEqual(t, info.Size(), int64(largestPicture), file)
				shown[file] = true
			}
		}
	}
	files, err := filepath.Glob(pictureFolder + "/*.png")
	require.NoError(t, err)
	assert.Equal(t, files, slices.Sorted(maps.Keys(shown)))
}

// The pages in the pictures are those of the library, in a browser.
func TestPictures_ShowThePagesOfToday(t *testing.T) {
	t.Parallel()
	b := chromiumtest.Start(t)
	const letter = `{"to":"anna@example.com","text":"Shall we have lunch at noon?"}`
	openQuestion(t, b, sendTool(), letter)
	takePictures(t, b, "question")
	openQuestion(t, b, deleteTool(), `{"number":"2026-17"}`)
	takePictures(t, b, "typed")
	b.Open(stepUpOf(t), "form")
	takePictures(t, b, "step-up")
}

// openQuestion calls a tool that a person must approve, and opens the page that
// asks.
func openQuestion(t *testing.T, b *chromiumtest.Browser, tool *contract.Tool, arguments string) {
	t.Helper()
	local := guard.Principal{Issuer: "local", Subject: "alice", Human: true}
	page, err := pages.ListenLoopback(t.Context(), local, pages.LoopbackConfig{NoBrowser: true})
	require.NoError(t, err)
	_, call := protected(t, tool, guard.PeopleOptions{Approver: page})
	t.Cleanup(func() { assert.NoError(t, page.Close(context.WithoutCancel(t.Context()))) })
	address := call(adapter.Request{Arguments: json.RawMessage(arguments)}).Outcome.URL
	b.Open(page.Address(), "h1")
	b.Open(address, "form")
}

// protected returns a guard, and a function that calls the only tool of it on
// behalf of alice.
func protected(t *testing.T, tool *contract.Tool, people guard.PeopleOptions) (
	*guard.Guard, func(adapter.Request) *adapter.CallResult,
) {
	t.Helper()
	caller := guard.Principal{
		Issuer: "local", Subject: "alice", Permissions: []string{"emails:send", "invoices:delete", "payments:send"},
	}
	g, err := guard.New(guard.WithPeople(people), guard.WithAudit(&audit.Recorder{}), guard.WithNamespace(tool.Name()),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return caller, nil })))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{tool}, Naming: contract.Dotted})
	require.NoError(t, err)
	return g, func(r adapter.Request) *adapter.CallResult {
		result, err := table.Call(t.Context(), table.Entry(tool.Name()), r)
		require.NoError(t, err)
		return result
	}
}

// stepUpOf returns the address at which alice signs in, and then sees a call
// that needs a recent sign-in.
func stepUpOf(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	sessions, err := pages.NewSessions(server.URL)
	require.NoError(t, err)
	g, call := protected(t, payTool(), guard.PeopleOptions{StepUpPage: sessions.StepUpAddress})
	page, err := sessions.StepUpPage(g, "/sign-in")
	require.NoError(t, err)
	mux.Handle(pages.StepUpPath, page)
	mux.Handle(pages.StepUpPath+"/", page)
	asked := call(adapter.Request{
		Arguments: json.RawMessage(`{"to":"ACME","amount":1250}`),
		Client: adapter.Client{Modern: true, Capabilities: adapter.Capabilities{
			Elicitation: &adapter.ElicitationCapability{URL: &struct{}{}},
		}},
	})
	var requests map[string]struct{ Params struct{ URL string } }
	require.NoError(t, json.Unmarshal(asked.Requests, &requests))
	var address string
	for _, r := range requests {
		address = r.Params.URL
	}
	require.NotEmpty(t, address)
	mux.HandleFunc("/sign-in", func(w http.ResponseWriter, r *http.Request) {
		assert.NoError(t, sessions.Start(w, guard.Principal{Issuer: "local", Subject: "alice", Human: true}))
		http.Redirect(w, r, address, http.StatusSeeOther)
	})
	return server.URL + "/sign-in"
}

var (
	markup    = regexp.MustCompile(`(?s)<script>.*?</script>|<[^>]+>`)
	different = regexp.MustCompile(`in \d+ minutes|on \d{1,2} [A-Z][a-z]+ 20\d\d, [0-9:]+ UTC|Call \S+ in`)
)

// takePictures compares the text of the page with the one beside the pictures.
// With -update it writes them again.
func takePictures(t *testing.T, b *chromiumtest.Browser, name string) {
	t.Helper()
	var text strings.Builder
	for line := range strings.Lines(html.UnescapeString(markup.ReplaceAllString(b.HTML("main"), ""))) {
		if line = strings.TrimSpace(different.ReplaceAllString(line, "…")); line != "" {
			text.WriteString(line + "\n")
		}
	}
	file := filepath.Join(pictureFolder, name)
	if *update {
		require.NoError(t, os.MkdirAll(pictureFolder, 0o755))
		require.NoError(t, os.WriteFile(file+".txt", []byte(text.String()), 0o644))
		for scheme, dark := range map[string]bool{"light": false, "dark": true} {
			b.Show(pictureWidth, dark)
			b.Shoot(file + "-" + scheme + ".png")
			shrink(t, file+"-"+scheme+".png")
		}
	}
	sameText(t, read(t, file+".txt"), text.String(), file+".txt")
}

// shrink removes the ground below the page from a picture, and all colours but
// the 256 most frequent ones.
func shrink(t *testing.T, file string) {
	t.Helper()
	whole, err := png.Decode(strings.NewReader(read(t, file)))
	require.NoError(t, err)
	bounds := whole.Bounds()
	ground := whole.At(bounds.Min.X, bounds.Max.Y-1)
	uses := map[color.Color]int{}
	last := 0
	for y := range bounds.Max.Y {
		for x := range bounds.Max.X {
			c := whole.At(x, y)
			uses[c]++
			if c != ground {
				last = y
			}
		}
	}
	colors := slices.SortedFunc(maps.Keys(uses), func(a, b color.Color) int { return cmp.Compare(uses[b], uses[a]) })
	const margin = 16
	small := image.NewPaletted(image.Rect(0, 0, bounds.Max.X, min(bounds.Max.Y, last+margin)), colors[:min(256, len(colors))])
	draw.Draw(small, small.Bounds(), whole, image.Point{}, draw.Src)
	var out bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small))
	require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
}
