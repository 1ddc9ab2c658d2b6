package keys_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzHandler sends a request, and an answer of any form in chunks. The chunks
// must not matter, and only the annotations of listed tools may change.
func FuzzHandler(f *testing.F) {
	for _, size := range []int{0, 1, 3} {
		f.Add(listRequest, listAnswer, size, false)
		f.Add(listRequest, event("{}")+event(listAnswer), size, true)
		f.Add(listRequest, "\ndata: {\r\ndata:\r\r\n:x\n\n"+event(listAnswer)+"data: x", size, true)
		f.Add(callRequest, listAnswer, size, false)
		f.Add("["+listRequest+","+callRequest+"]", "["+listAnswer+"]", size, false)
	}
	f.Fuzz(func(t *testing.T, request, answer string, size int, events bool) {
		e := endpoint{header: asJSON(), answer: answer}
		if events {
			e.header = asEvents()
		}
		whole := e.over(request).Body.String()
		e.chunk = size
		assert.Equal(t, whole, e.over(request).Body.String())
		if !strings.Contains(request, `list"`) {
			assert.Equal(t, answer, whole)
		}
		if events || whole == answer {
			return
		}
		before, ok := withoutAnnotations(answer)
		assert.True(t, ok, "only JSON changes")
		after, _ := withoutAnnotations(whole)
		assert.Equal(t, before, after)
	})
}

// FuzzStdio passes any requests and answers in chunks, which must not matter.
// Lines stay lines, and only JSON changes.
func FuzzStdio(f *testing.F) {
	for _, size := range []int{0, 1, 3} {
		f.Add(listRequest+"\n", listAnswer+"\n", size, size)
		f.Add(callRequest+"\n"+listRequest, listAnswer[:9]+"\n"+listAnswer+"\n"+listAnswer, size, 7)
		f.Add("\n\n[]\n"+listRequest+"\n", "null\n"+listAnswer+"\r\n", 2, size)
	}
	f.Fuzz(func(t *testing.T, requests, answers string, in, out int) {
		whole := overStdio(t, requests, answers, 0, 0)
		assert.Equal(t, whole, overStdio(t, requests, answers, in, out))
		if !strings.Contains(requests, `list"`) {
			assert.Equal(t, answers, whole)
		}
		before, after := strings.Split(answers, "\n"), strings.Split(whole, "\n")
		if !assert.Len(t, after, len(before)) {
			return
		}
		for i := range before {
			if before[i] == after[i] {
				continue
			}
			a, ok := withoutAnnotations(before[i])
			assert.True(t, ok, "only JSON changes")
			b, _ := withoutAnnotations(after[i])
			assert.Equal(t, a, b)
		}
	})
}
