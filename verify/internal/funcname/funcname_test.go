package funcname_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/verify/internal/funcname"
)

func TestSource_IsTheNameInTheSource(t *testing.T) {
	t.Parallel()
	for compiled, want := range map[string]struct{ source, pkg string }{
		"main.send":                                         {"main.send", "main"},
		"example.com/mail.send":                             {"example.com/mail.send", "example.com/mail"},
		"example.com/v2/mail%2ev3.send":                     {"example.com/v2/mail.v3.send", "example.com/v2/mail.v3"},
		"example.com/mail.Server.send":                      {"(example.com/mail.Server).send", "example.com/mail"},
		"example.com/mail.(*Server).send":                   {"(*example.com/mail.Server).send", "example.com/mail"},
		"example.com/mail.(*Box[example.com/mail.Key]).put": {"(*example.com/mail.Box).put", "example.com/mail"},
		"example.com/mail.Map[go.shape.int,go.shape.[]int]": {"example.com/mail.Map", "example.com/mail"},
	} {
		assert.Equal(t, want.source, funcname.Source(compiled), compiled)
		pkg, _ := funcname.Split(compiled)
		assert.Equal(t, want.pkg, pkg, compiled)
	}
}
