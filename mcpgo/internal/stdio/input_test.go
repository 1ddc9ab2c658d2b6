package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines reads a stream to its end, as the server would.
func lines(in io.Reader, limit int) []string {
	r := bufio.NewReaderSize(in, 16)
	var all []string
	for {
		line, err := readLine(r, limit)
		if len(line) > 0 {
			all = append(all, string(line))
		}
		if err != nil {
			return all
		}
	}
}

func TestReadLine_BoundsLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 39)
	for name, test := range map[string]struct {
		stream string
		want   []string
	}{
		"nothing":                              {"", nil},
		"one line":                             {"a\n", []string{"a\n"}},
		"a last line without an end":           {"a\nb", []string{"a\n", "b\n"}},
		"empty lines":                          {"\n\na\n", []string{"\n", "\n", "a\n"}},
		"a line at the limit":                  {long + "\n", []string{long + "\n"}},
		"a line beyond the limit":              {long + "x\n", []string{tooLongLine}},
		"the line after a long one is read":    {long + long + "\nb\n", []string{tooLongLine, "b\n"}},
		"beyond the limit at the stream's end": {long + long, []string{tooLongLine}},
		"a carriage return stays":              {"a\r\n", []string{"a\r\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, lines(strings.NewReader(test.stream), 40))
			assert.Equal(t, test.want, lines(iotest.OneByteReader(strings.NewReader(test.stream)), 40))
		})
	}
	t.Run("a read error counts as the end of the stream", func(t *testing.T) {
		t.Parallel()
		broken := iotest.ErrReader(errors.New("broken"))
		assert.Equal(t, []string{"a\n", "b\n"}, lines(io.MultiReader(strings.NewReader("a\nb"), broken), 40))
	})
}

func TestInput_DelaysItsEnd(t *testing.T) {
	t.Parallel()
	x := newExchange(io.Discard)
	in := newInput(strings.NewReader(`{"id":1,"method":"tools/call"}`), x, Server{MaxLine: 100})
	read := make(chan error, 1)
	var got []byte
	go func() {
		var err error
		got, err = io.ReadAll(in)
		read <- err
	}()
	<-in.exhausted
	assert.False(t, x.wait(0), "the request is open")
	select {
	case <-read:
		require.Fail(t, "the end was not delayed")
	default:
	}
	in.end()
	require.NoError(t, <-read)
	assert.Equal(t, `{"id":1,"method":"tools/call"}`+"\n", string(got))
}

// mcp-go reads nothing while its queue is full.
func TestInput_SeesTheEndOfAnUnreadStream(t *testing.T) {
	t.Parallel()
	x := newExchange(io.Discard)
	const n = 10_000
	in := newInput(strings.NewReader(strings.Repeat(`{"id":1,"method":"a"}`+"\n", n)), x, Server{MaxLine: 100})
	<-in.exhausted
	assert.Equal(t, n, x.countOpen())
	in.stop()
	assert.Zero(t, x.countOpen(), "lines that were not handed out are not counted")
	in.end()
	_, err := in.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}

func TestInput_ReadsAheadOnlyABoundedAmount(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 1<<20) + "\n"
	in := newInput(strings.NewReader(strings.Repeat(line, 40)), newExchange(io.Discard), Server{MaxLine: 2 << 20})
	all := make([]byte, len(line))
	for range 40 {
		_, err := io.ReadFull(in, all)
		require.NoError(t, err)
		require.Equal(t, line, string(all))
		in.mu.Lock()
		require.LessOrEqual(t, in.bytes, aheadBytes)
		in.mu.Unlock()
	}
	<-in.exhausted
	in.end()

	stuck := newInput(strings.NewReader(strings.Repeat(line, 40)), newExchange(io.Discard), Server{MaxLine: 2 << 20})
	select {
	case <-stuck.exhausted:
		require.Fail(t, "all was read ahead")
	default:
	}
	stuck.stop() // also releases a put that waits for room
	<-stuck.exhausted
}

func TestInput_StopsBeforeTheStreamEnds(t *testing.T) {
	t.Parallel()
	stream, more := io.Pipe()
	defer more.Close()
	in := newInput(stream, newExchange(io.Discard), Server{MaxLine: 100})
	in.stop()
	in.end()
	_, err := in.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}

// For any stream, lines are whole, in order and bounded, and each line that is
// too long becomes one tooLongLine.
func FuzzReadLine(f *testing.F) {
	for _, seed := range []string{"", "a\nb", strings.Repeat("x", 50) + "\n\n" + strings.Repeat("y", 8), "\xff\n\x00"} {
		f.Add([]byte(seed), uint8(20))
	}
	f.Fuzz(func(t *testing.T, stream []byte, limit uint8) {
		var want []string
		for line := range bytes.SplitAfterSeq(stream, []byte("\n")) {
			switch {
			case len(line) == 0:
			case len(line) > int(limit):
				want = append(want, tooLongLine)
			default:
				want = append(want, strings.TrimSuffix(string(line), "\n")+"\n")
			}
		}
		require.Equal(t, want, lines(bytes.NewReader(stream), int(limit)))
	})
}
