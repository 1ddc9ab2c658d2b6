package storetest

import (
	"bytes"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A namedResult is what a store could take for something else.
type namedResult struct {
	name  string
	bytes []byte
}

func results() []namedResult {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	return []namedResult{
		{"nil", nil},
		{"an empty slice", []byte{}},
		{"0", []byte("0")},
		{"null", []byte("null")},
		{"false", []byte("false")},
		{"nil as text", []byte("nil")},
		{"an empty string", []byte(`""`)},
		{"a space", []byte(" ")},
		{"a line break", []byte("\r\n")},
		{"a zero byte", []byte{0}},
		{"text with a zero byte", []byte("a\x00b")},
		{"broken UTF-8", []byte{0xff, 0xc0, 0x80}},
		{"every byte", every},
		{"64 KiB", bytes.Repeat(every, 256)},
	}
}

func checkResults(p *probe) {
	for _, r := range results() {
		name, result := r.name, r.bytes
		for _, state := range []store.State{store.Completed, store.Failed} {
			c := p.started()
			p.complete(outcome(c, state, bytes.Clone(result)), nil, "by the owner")
			if r := p.get(c.Key, "after Complete"); r.State != state || !sameResult(r.Result, result) {
				p.fail("Get: a result that is %s does not come back as it was given", name)
			}
			a := p.claim(rival(c), store.Finished, "after Complete")
			if a.State != state || !sameResult(a.Result, result) {
				p.fail("Claim: a result that is %s does not come back as it was given", name)
			}
		}
	}
}

func checkAliasing(p *probe) {
	c := p.started()
	given := bytes.Clone(theResult)
	p.complete(outcome(c, store.Completed, given), nil, "by the owner")
	clear(given)
	p.untouched(c, "what was given to Complete")
	clear(p.get(c.Key, "after Complete").Result)
	p.untouched(c, "what Get returned")
	clear(p.claim(rival(c), store.Finished, "after Complete").Result)
	p.untouched(c, "what Claim returned")
}

// untouched wants that a record has the result it was given.
func (p *probe) untouched(c store.Claim, what string) {
	when := "after the caller has changed " + what
	if !sameResult(theResult, p.get(c.Key, when).Result) ||
		!sameResult(theResult, p.claim(rival(c), store.Finished, when).Result) {
		p.fail("the result has changed %s", when)
	}
}
