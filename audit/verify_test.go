package audit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/internal/testing/longtest"
)

func TestVerifyAcceptsAWholeLog(t *testing.T) {
	t.Parallel()
	log, head := sampleLog(t, 5)
	all := records(log)
	for _, tt := range []struct {
		name string
		head string
		line int
	}{
		{"without a head", "", 0},
		{"with the last hash", head, 5},
		{"with an earlier one", all[1].Hash, 2},
		{"with the head of an empty log", audit.Genesis, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report, err := audit.Verify(iotest.OneByteReader(bytes.NewReader(log)), tt.head)
			require.NoError(t, err)
			assert.Equal(t, audit.Verification{Records: 5, First: all[0].Hash, Last: head, HeadLine: tt.line}, report)
		})
	}
	report, err := audit.Verify(strings.NewReader(""), "")
	require.NoError(t, err)
	assert.Equal(t, audit.Verification{}, report, "an empty log is whole")
}

// edit returns a copy of the log with changed lines. Each line includes its
// line break.
func edit(log []byte, change func(lines []string) []string) []byte {
	return []byte(strings.Join(change(slices.Collect(strings.Lines(string(log)))), ""))
}

// reseal computes a line's hash as documented by the package.
func reseal(line string) string {
	i := strings.LastIndex(line, `,"hash":"`)
	sum := sha256.Sum256([]byte(line[:i] + "}"))
	return line[:i] + `,"hash":"` + hex.EncodeToString(sum[:]) + `"}` + "\n"
}

func TestThreat93_VerifyNamesTheFirstBrokenLine(t *testing.T) {
	t.Parallel()
	log, _ := sampleLog(t, 6)
	all := records(log)
	other, _ := tornLog(t)
	tests := []struct {
		name   string
		change func(lines []string) []string
		line   int
		fault  string
	}{
		{"a member was changed", func(l []string) []string {
			l[2] = strings.Replace(l[2], "notes.keep", "notes.read", 1)
			return l
		}, 3, "changed"},
		{"a member was added", func(l []string) []string {
			l[5] = strings.Replace(l[5], `"agent"`, `"code":"x","agent"`, 1)
			return l
		}, 6, "changed"},
		{"a hash was changed", func(l []string) []string {
			l[1] = strings.Replace(l[1], all[1].Hash, audit.Genesis, 1)
			return l
		}, 2, "changed"},
		{"a hash is in capitals", func(l []string) []string {
			l[1] = strings.Replace(l[1], all[1].Hash, strings.ToUpper(all[1].Hash), 1)
			return l
		}, 2, "malformed"},
		{"a prev was changed", func(l []string) []string {
			l[1] = strings.Replace(l[1], all[0].Hash, audit.Genesis, 1)
			return l
		}, 2, "changed"},
		{"a member was changed, and the hash with it", func(l []string) []string {
			l[2] = reseal(strings.Replace(l[2], "notes.keep", "notes.read", 1))
			return l
		}, 4, "missing"},
		{"a prev was changed, and the hash with it", func(l []string) []string {
			l[2] = reseal(strings.Replace(l[2], all[1].Hash, audit.Genesis, 1))
			return l
		}, 3, "missing"},
		{"the first record is missing", func(l []string) []string { return l[1:] }, 1, "missing"},
		{"a record is missing", func(l []string) []string { return slices.Delete(l, 2, 3) }, 3, "missing"},
		{"several are missing", func(l []string) []string { return slices.Delete(l, 1, 4) }, 2, "missing"},
		{"two are swapped", func(l []string) []string {
			l[2], l[3] = l[3], l[2]
			return l
		}, 3, "misplaced"},
		{"the last two are swapped", func(l []string) []string {
			l[4], l[5] = l[5], l[4]
			return l
		}, 5, "misplaced"},
		{
			"one was moved to the end", func(l []string) []string { return append(slices.Delete(slices.Clone(l), 1, 2), l[1]) },
			2, "misplaced",
		},
		{
			"one was moved to the beginning",
			func(l []string) []string { return append([]string{l[4]}, slices.Delete(slices.Clone(l), 4, 5)...) }, 1, "misplaced",
		},
		{"one stands twice", func(l []string) []string { return slices.Insert(l, 3, l[2]) }, 4, "misplaced"},
		{
			"one of another log was added",
			func(l []string) []string { return append(l, strings.SplitAfter(string(other), "\n")[1]) }, 7, "missing",
		},
		{"an empty line", func(l []string) []string { return slices.Insert(l, 1, "\n") }, 2, "malformed"},
		{"an empty line at the end", func(l []string) []string { return append(l, "\n") }, 7, "malformed"},
		{"a line that is no JSON", func(l []string) []string { return slices.Insert(l, 3, "hello\n") }, 4, "malformed"},
		{
			"JSON without a seal", func(l []string) []string {
				return append(l, `{"time":"2026-11-21T01:40:00Z","event":"intent"}`+"\n")
			}, 7, "malformed",
		},
		{"a seal on a line that is not JSON", func(l []string) []string {
			l[3] = reseal(strings.Replace(l[3], `"agent":`, `"agent"`, 1))
			return l
		}, 4, "malformed"},
		{
			"a torn line that no hash covers",
			func(l []string) []string { return slices.Insert(l, 2, `{"time":"2026`+"\n") }, 3, "malformed",
		},
		{"a torn line in place of a record", func(l []string) []string {
			l[2] = l[2][:40] + "\n"
			return l
		}, 4, "missing"},
		{"line breaks of another system", func(l []string) []string {
			l[0] = strings.TrimSuffix(l[0], "\n") + "\r\n"
			return l
		}, 1, "malformed"},
		{"two lines are one", func(l []string) []string {
			l[1] = strings.TrimSuffix(l[1], "\n")
			return l
		}, 2, "malformed"},
		{
			"a line that does not end", func(l []string) []string {
				return append(l, `{"time":"`+strings.Repeat("x", 2*audit.MaxRecord))
			}, 7, "malformed",
		},
		{"zeros at the end", func(l []string) []string { return append(l, "\x00\x00\x00") }, 7, "malformed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := requireBroken(t, edit(log, tt.change), "", tt.line, tt.fault)
			assert.LessOrEqual(t, report.Records, tt.line-1+report.Torn)
		})
	}
}

func TestVerifyDistinguishesATornLineFromTampering(t *testing.T) {
	t.Parallel()
	log, head := tornLog(t)
	all := records(log)
	require.Len(t, all, 4)
	report, err := audit.Verify(bytes.NewReader(log), head)
	require.NoError(t, err)
	assert.Equal(t, audit.Verification{Records: 4, First: all[0].Hash, Last: head, HeadLine: 5, Torn: 1, FirstTorn: 3}, report)

	tests := []struct {
		name   string
		change func(lines []string) []string
		line   int
		fault  string
	}{
		{"the torn line is gone", func(l []string) []string { return slices.Delete(l, 2, 3) }, 3, "changed"},
		{"it was changed", func(l []string) []string {
			l[2] = strings.Replace(l[2], "keep", "read", 1)
			return l
		}, 3, "changed"},
		{"it was cut", func(l []string) []string {
			l[2] = l[2][:20] + "\n"
			return l
		}, 3, "changed"},
		{"it was emptied", func(l []string) []string {
			l[2] = "\n"
			return l
		}, 3, "malformed"},
		{"it stands later", func(l []string) []string {
			l[2], l[3] = l[3], l[2]
			return l
		}, 3, "changed"},
		{"the record after it is gone", func(l []string) []string { return slices.Delete(l, 3, 4) }, 4, "missing"},
		{"the record before it is gone", func(l []string) []string { return slices.Delete(l, 1, 2) }, 2, "missing"},
		{"a second torn line follows it", func(l []string) []string { return slices.Insert(l, 3, "{\n") }, 3, "changed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			requireBroken(t, edit(log, tt.change), "", tt.line, tt.fault)
		})
	}
}

func TestVerifyReportsATailCutAnywhere(t *testing.T) {
	t.Parallel()
	log, _ := sampleLog(t, 3)
	before := bytes.LastIndexByte(log[:len(log)-1], '\n') + 1
	for cut := before; cut <= len(log); cut++ {
		report, err := audit.Verify(bytes.NewReader(log[:cut]), "")
		require.NoError(t, err, "cut at %d", cut)
		whole := cut >= len(log)-1 // a record without its line break counts
		assert.Equal(t, !whole && cut > before, report.TornTail, "cut at %d", cut)
		assert.Equal(t, whole, report.Records == 3, "cut at %d", cut)
	}
}

func TestVerifyDetectsACutTailOnlyWithAHead(t *testing.T) {
	t.Parallel()
	log, head := sampleLog(t, 4)
	cut := edit(log, func(l []string) []string { return l[:3] })
	report, err := audit.Verify(bytes.NewReader(cut), "")
	require.NoError(t, err)
	assert.Contains(t, report.String(), "only a head that was stored elsewhere shows it")

	report = requireBroken(t, cut, head, 3, "cut")
	assert.Equal(t, 3, report.Records)
	requireBroken(t, nil, head, 0, "cut")
	requireBroken(t, log[:len(log)-2], head, 4, "cut")

	anew, _ := sampleLog(t, 5)
	_, err = audit.Verify(bytes.NewReader(anew), head)
	require.NoError(t, err, "the same events have the same hashes")
	anew = edit(anew, func(l []string) []string { return []string{reseal(strings.Replace(l[0], "c0", "c9", 1))} })
	requireBroken(t, anew, head, 1, "cut")
}

func TestVerifyRefusesAMalformedHead(t *testing.T) {
	t.Parallel()
	log, head := sampleLog(t, 1)
	for _, bad := range []string{
		"hunter2", head[1:], head + "0", strings.ToUpper(head), head[:63] + "g", head + "\n", "sha256:" + head,
	} {
		report, err := audit.Verify(bytes.NewReader(log), bad)
		require.Error(t, err, "%q", bad)
		assert.NotErrorAs(t, err, new(*audit.ChainError))
		assert.NotContains(t, err.Error(), "hunter2")
		assert.Equal(t, audit.Verification{}, report)
	}
}

func TestVerifyReturnsTheErrorOfItsReader(t *testing.T) {
	t.Parallel()
	log, _ := sampleLog(t, 3)
	gone := errors.New("the disk is gone")
	first := bytes.IndexByte(log, '\n') + 1
	report, err := audit.Verify(io.MultiReader(bytes.NewReader(log[:first+20]), iotest.ErrReader(gone)), "")
	assert.ErrorIs(t, err, gone)
	assert.NotErrorAs(t, err, new(*audit.ChainError), "the rest is unknown")
	assert.Equal(t, 1, report.Records)

	swapped := edit(log, func(l []string) []string { return []string{l[1]} })
	_, err = audit.Verify(io.MultiReader(bytes.NewReader(swapped), iotest.ErrReader(gone)), "")
	assert.ErrorAs(t, err, new(*audit.ChainError), "a break is a break, whatever follows")
}

func TestReportText(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "0 records in an unbroken chain; later records may have been cut off, and only a head that was "+
		"stored elsewhere shows it",
		audit.Verification{}.String())
	assert.Contains(t, audit.Verification{Records: 1}.String(), "1 record in an unbroken chain")
	assert.Equal(t, "2 records in an unbroken chain, first aa, last bb; the head is line 2; torn lines: 2, the first "+
		"is line 3; the last line is torn, as a killed process leaves it",
		audit.Verification{Records: 2, First: "aa", Last: "bb", HeadLine: 2, Torn: 2, FirstTorn: 3, TornTail: true}.String())
}

// FuzzVerify checks that Verify never panics, and never reports more than it
// read.
func FuzzVerify(f *testing.F) {
	log, head := sampleLog(f, 3)
	torn, _ := tornLog(f)
	f.Add(log, head)
	f.Add(torn, "")
	f.Add(log[:len(log)-50], audit.Genesis)
	f.Add([]byte("\n\n{\n"), "x")
	f.Fuzz(func(t *testing.T, log []byte, head string) {
		report, err := audit.Verify(bytes.NewReader(log), head)
		lines := bytes.Count(log, []byte("\n")) + 1
		assert.LessOrEqual(t, report.Records+report.Torn, lines)
		if broken, ok := errors.AsType[*audit.ChainError](err); ok {
			assert.LessOrEqual(t, broken.Line, lines)
			assert.Contains(t, []string{"malformed", "changed", "missing", "misplaced", "cut"}, broken.Fault)
		}
	})
}

func TestThreat93_VerifyFindsEveryChangedByte(t *testing.T) {
	t.Parallel()
	log, _ := tornLog(t)
	for at, was := range log {
		others := []byte{was ^ 1, '\n', '"', was ^ 32, was ^ 128, 0, '\\', ',', '}', '0'}
		for _, other := range others[:longtest.Count(t, 3, len(others))] {
			if other == was {
				continue
			}
			changed := bytes.Clone(log)
			changed[at] = other
			_, err := audit.Verify(bytes.NewReader(changed), "")
			require.ErrorAs(t, err, new(*audit.ChainError), "byte %d is %q instead of %q", at, other, was)
		}
	}
}

// FuzzVerifyFindsAChangedByte checks that Verify finds every changed byte of a
// record, and of a torn line before one, whatever a caller put into the record.
func FuzzVerifyFindsAChangedByte(f *testing.F) {
	f.Add("", uint(3), byte(1))
	f.Add(`","prev":"00","hash":"00"}`, uint(200), byte(0x0a))
	f.Add("\n{\"time\":\"\u202e\\", uint(700), byte(0x51))
	f.Fuzz(func(t *testing.T, text string, at uint, flip byte) {
		if flip == 0 || len(text) > 1<<10 {
			return
		}
		path := logPath(t)
		event := numbered(audit.Intent, 1)
		event.Tool, event.Error = text, text
		for range 2 {
			sink := openLog(t, path)
			require.NoError(t, sink.Write(t.Context(), event))
			require.NoError(t, sink.Write(t.Context(), event))
			require.NoError(t, sink.Close())
			log := readLog(t, path)
			require.NoError(t, os.WriteFile(path, log[:len(log)-2-int(at%500)%len(text+text+"0123")], 0o600))
		}
		writeLog(t, path, 1, 2)
		log := readLog(t, path)
		_, err := audit.Verify(bytes.NewReader(log), "")
		require.NoError(t, err)
		log[at%uint(len(log))] ^= flip
		_, err = audit.Verify(bytes.NewReader(log), "")
		assert.ErrorAs(t, err, new(*audit.ChainError))
	})
}
