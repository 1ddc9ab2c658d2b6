package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

func (v *verifier) judgeReadOnly(c *claim) {
	for _, t := range v.reached() {
		if t.isReadOnly() {
			v.judgeEffect(c, t, t.first)
		}
	}
}

// judgeEffect judges a call that must not change anything.
func (v *verifier) judgeEffect(c *claim, t *attempt, o observedCall) {
	if len(o.changes) > 0 {
		c.contradict(t.name, "%s", summarize(o.changes))
	}
	for _, blind := range o.blind {
		if !o.hasState {
			c.doubt("no witness saw the effect of: %s; show the state by WithState, or the requests by WithTransport", blind)
		}
	}
	if !v.witness.Kernel() && !o.hasState && !o.hasFolders && len(v.config.folders) == 0 && len(v.config.transports) == 0 {
		c.doubt("there was no witness; show the state by WithState, or name folders by WithFolders")
	}
	c.shown++
}

func (v *verifier) judgeReach(c *claim) {
	open := v.doc.Hints().OpenWorld
	for _, t := range v.reached() {
		for _, o := range t.calls() {
			for _, e := range o.events {
				switch {
				case e.Address == "" || e.Loopback() || e.Kind == witness.Listen:
				case !open, changes(e):
					c.contradict(t.name, "%s", e)
				case e.Kind != witness.Request && !slices.ContainsFunc(o.events, func(r witness.Event) bool {
					return r.Kind == witness.Request && portOf(r.Address) == portOf(e.Address)
				}):
					c.doubt("no witness saw what was sent: %s; show the requests by WithTransport", e)
				}
			}
		}
		c.shown++
	}
	if !v.witness.Kernel() && len(v.config.transports) == 0 {
		c.doubt("there was no witness of the network; show the requests by WithTransport")
	}
}

func (v *verifier) judgeSecondEffect(c *claim) {
	for _, t := range v.reached() {
		if len(t.second.runs) == 0 {
			continue
		}
		if len(t.repeatChanged) > 0 {
			c.contradict(t.name, "the second call: %s", summarize(t.repeatChanged))
		}
		if !t.second.hasState {
			for _, blind := range t.second.blind {
				c.doubt("no witness saw the effect of the second call: %s; show the state by WithState", blind)
			}
			if len(t.first.changes) == 0 && len(t.first.blind) == 0 {
				continue // there is nothing to repeat
			}
		}
		c.shown++
	}
	if c.shown == 0 {
		c.doubt("no witness saw an effect of a first call; show the state by WithState")
	}
}

func (v *verifier) judgeSecondAnswer(c *claim) {
	compare := comparer{v.config.volatile}
	for _, t := range v.reached() {
		first, second := t.first.result, t.second.result
		if first == nil || second == nil || first.IsError {
			continue
		}
		c.shown++
		switch {
		case second.IsError && v.onRepeat(second.Outcome.Code):
		case second.IsError:
			c.contradict(t.name, "the first call succeeds, and the second fails with %s", second.Outcome.Code)
		default:
			for _, at := range compare.differences("", answerOf(first)["result"], answerOf(second)["result"]) {
				c.contradict(t.name, "the answers differ at %s", cmp.Or(at, "the root"))
			}
			if first.Structured == nil && len(compare.differences("", answerOf(first), answerOf(second))) > 0 {
				c.contradict(t.name, "the texts of the answers differ")
			}
		}
	}
}

// onRepeat reports whether a side effect declares that a repetition answers
// with the code.
func (v *verifier) onRepeat(code string) bool {
	return slices.ContainsFunc(v.doc.SideEffects, func(s contract.SideEffect) bool { return strings.Contains(s.OnRepeat, code) })
}

func (v *verifier) judgeRanTwice(c *claim) {
	for _, t := range v.reached() {
		if !t.second.made || t.first.result == nil {
			continue
		}
		c.shown++
		switch {
		case len(t.second.runs) == 0:
		case !t.first.result.IsError:
			c.contradict(t.name, "the first call succeeded, and the second ran the handler again")
		case len(t.first.changes) > 0:
			c.contradict(t.name, "the first call had an effect (%s) and failed with %s, and the second ran the handler again",
				summarize(t.first.changes), t.first.result.Outcome.Code)
		}
	}
}

func (v *verifier) judgeDryRun(c *claim) {
	for _, t := range v.attempts {
		if t.previewed() {
			v.judgeEffect(c, t, t.preview)
		}
	}
}

// previewMembers are the members of every preview.
var previewMembers = []string{"dryRun", "dryRunToken", "warnings", "missingPermissions", "expectedSideEffects",
	"estimatedDurationMs"}

func (v *verifier) judgePreview(c *claim) {
	compare := comparer{v.config.volatile}
	for _, t := range v.reached() {
		call := t.first.result
		if !t.preview.made || call == nil || t.preview.result == nil {
			continue
		}
		switch {
		case t.previewed() && call.IsError && v.isOwn(call.Outcome.Code):
			c.contradict(t.name, "the preview succeeds, and the call on the same state fails with %s", call.Outcome.Code)
			continue
		case !t.previewed() && !call.IsError:
			c.contradict(t.name, "the preview fails with %s, and the call on the same state succeeds", t.preview.result.Outcome.Code)
			continue
		case !t.previewed() || call.IsError:
			continue
		}
		preview, _ := tree(t.preview.result.Structured).(map[string]any)
		result, _ := tree(call.Structured).(map[string]any)
		for name, shown := range preview {
			done, both := result[name]
			if !both || slices.Contains(previewMembers, name) {
				continue
			}
			c.shown++
			for _, at := range compare.differences("/"+name, shown, done) {
				c.contradict(t.name, "the preview and the result differ at %s", at)
			}
		}
	}
	if c.shown == 0 {
		c.doubt("previews and results have no member in common that can be compared")
	}
	slices.SortFunc(c.contradictions, func(a, b contradiction) int {
		return cmp.Or(cmp.Compare(a.inCase, b.inCase), cmp.Compare(a.observed, b.observed))
	})
}
