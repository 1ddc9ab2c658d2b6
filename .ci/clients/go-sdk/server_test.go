package clients

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// build returns the folder with the examples of the scenarios. It builds them,
// unless ../run did.
func build(t *testing.T, all []scenario) (dir string) {
	t.Helper()
	if built := os.Getenv("EXAMPLES"); built != "" {
		return built
	}
	dir = t.TempDir()
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	for _, s := range all {
		args = append(args, "./examples/"+s.example)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = "../../.."
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Run())
	return dir
}

// serveHTTP starts a server and returns its address. After the test it sends
// SIGTERM, on which the server must exit.
func serveHTTP(t *testing.T, program string, args []string) (url string) {
	t.Helper()
	cmd := exec.Command(program, append([]string{"-http", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(stderr)
	drained := make(chan struct{})
	t.Cleanup(func() {
		assert.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		<-drained
		assert.NoError(t, cmd.Wait())
	})
	for {
		line, err := lines.ReadString('\n')
		if address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on "); found {
			url = address
		}
		if url != "" || err != nil {
			break
		}
	}
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, lines)
	}()
	require.NotEmpty(t, url)
	return url
}

// modernMeta returns the _meta of a request of the modern era.
func modernMeta(capabilities map[string]any) map[string]any {
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    modern,
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "clients", "version": "1.0.0"},
		"io.modelcontextprotocol/clientCapabilities": capabilities,
	}
}

// A wire sends requests to a server over stdio without a client, so that the
// messages are those that the server sent.
type wire struct {
	in  *json.Encoder
	out *json.Decoder
	id  int
}

func newWire(t *testing.T, program string, args []string) *wire {
	t.Helper()
	cmd := exec.Command(program, args...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, in.Close())
		assert.NoError(t, cmd.Wait())
	})
	return &wire{in: json.NewEncoder(in), out: json.NewDecoder(out)}
}

// request sends a request of the modern era, which needs no session. The client
// cannot ask a person unless the parameters have another _meta.
func (w *wire) request(t *testing.T, method string, params map[string]any) (result map[string]any) {
	t.Helper()
	w.id++
	all := map[string]any{"_meta": modernMeta(map[string]any{})}
	maps.Copy(all, params)
	params = all
	require.NoError(t, w.in.Encode(map[string]any{"jsonrpc": "2.0", "id": w.id, "method": method, "params": params}))
	var reply struct {
		ID     int            `json:"id"`
		Result map[string]any `json:"result"`
	}
	require.NoError(t, w.out.Decode(&reply))
	require.Equal(t, w.id, reply.ID)
	require.NotNil(t, reply.Result)
	return reply.Result
}
