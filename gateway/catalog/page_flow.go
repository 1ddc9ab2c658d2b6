package catalog

import (
	"fmt"

	"github.com/toolcontract/toolcontract/internal/trifecta"
)

// A flowView is the picture of the tools that can leak data together, with its
// text alternative.
type flowView struct {
	Untrusted, Private, Sends flowBox
	// Verdict answers whether the tools can leak data without a person.
	Verdict string
	// IsPart is true if there may be tools that the visitor does not see.
	IsPart bool
	// Complete is true if there is a tool in each of the three roles.
	Complete bool
	// Sentence is the combination in words.
	Sentence string
	// Must are the tools that send without a person. More is how many of them
	// are left out.
	Must []string
	More int
	// Undeclared is the number of tools that do not declare what they read.
	Undeclared int
}

// The verdicts. If some tools can leak data, then all of them together can. So
// verdictYes is also true for a visitor who does not see all tools, but
// verdictNo is not.
const (
	verdictYes     = "yes"
	verdictNo      = "no"
	verdictUnknown = "unknown"
)

// verdict says whether tools can leak data without a person. isPart is true if
// there may be tools that it was not given.
func verdict(r trifecta.Combination, isPart bool) string {
	switch {
	case len(r.Unconfirmed()) > 0:
		return verdictYes
	case isPart, len(r.Undeclared) > 0:
		return verdictUnknown
	default:
		return verdictNo
	}
}

// A flowBox is one role in the picture.
type flowBox struct {
	Count int
	Lines []string // the first names, shortened
}

const (
	boxNames   = 2  // names in a box of the picture
	boxChars   = 24 // characters of a name there
	listedMust = 20 // names in the list of tools that must confirm
)

func newFlowView(r trifecta.Combination, isPart bool) flowView {
	v := flowView{
		Verdict: verdict(r, isPart), IsPart: isPart,
		Untrusted: box(r.Untrusted, func(p trifecta.Part) trifecta.Name { return p.Name }),
		Private:   box(r.Private, func(p trifecta.Part) trifecta.Name { return p.Name }),
		Sends:     box(r.Sends, func(s trifecta.Sender) trifecta.Name { return s.Name }),
		Complete:  r.IsComplete(), Sentence: clean(r.String()), Undeclared: len(r.Undeclared),
	}
	for _, s := range r.Unconfirmed() {
		if len(v.Must) == listedMust {
			v.More++
			continue
		}
		v.Must = append(v.Must, clean(s.Name.String()))
	}
	return v
}

func box[T any](parts []T, name func(T) trifecta.Name) flowBox {
	b := flowBox{Count: len(parts)}
	for i, p := range parts {
		if i == boxNames {
			b.Lines = append(b.Lines, fmt.Sprintf("and %d more", len(parts)-boxNames))
			break
		}
		b.Lines = append(b.Lines, cut(name(p).String(), boxChars))
	}
	if len(parts) == 0 {
		b.Lines = []string{"no tool"}
	}
	return b
}

// A shownBox is a box with its position in the picture.
type shownBox struct {
	Box  flowBox
	Role string
	X, Y int
	Rows []int // the distance of each line from the top
}

func newShownBox(b flowBox, role string, x, y int) shownBox {
	return shownBox{Box: b, Role: role, X: x, Y: y, Rows: []int{44, 62, 80}}
}

// Alternative returns the picture's text alternative.
func (v flowView) Alternative() string {
	text := fmt.Sprintf("%s, %s, and %s.", countWords(v.Untrusted.Count, "reads untrusted data", "read untrusted data"),
		countWords(v.Private.Count, "reads private data", "read private data"),
		countWords(v.Sends.Count, "sends data out", "send data out"))
	if v.Complete {
		text += " All of it passes through one model."
	}
	return text
}

func countWords(n int, one, more string) string {
	switch n {
	case 0:
		return "no tool " + one
	case 1:
		return "one tool " + one
	default:
		return fmt.Sprintf("%d tools %s", n, more)
	}
}
