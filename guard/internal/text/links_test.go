package text_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/guard/internal/text"
)

func TestUnlinkJSON_KeepsTheValue(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"[a](https://evil.example)"`: `"[a]\u0028https:/\u002fevil.example)"`,
		`"![a][b]: ftp:///x"`:         `"!\u005ba]\u005bb]\u003a ftp:/\u002f\u002fx"`,
		`"<b>y</b><!-- z --><?p?>"`:   `"\u003cb>y\u003c/b>\u003c!-- z -->\u003c?p?>"`,
		`"<![CDATA["`:                 `"\u003c!\u005bCDATA["`,
		`"www.x &lt; &#9;"`:           `"www\u002ex \u0026lt; \u0026#9;"`,
		`"\\<b>"`:                     `"\\\u003cb>"`,
		`{"a":["a < b"],"c":[[1]]}`:   `{"a":["a < b"],"c":[[1]]}`,
	} {
		got := text.UnlinkJSON(in)
		assert.Equal(t, want, got)
		assert.JSONEq(t, in, got)
		assert.Equal(t, got, text.Unlink(got), "nothing is left to separate")
	}
}

func TestUnlink_SeparatesWhatMarkdownMakesALinkOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"[Already approved](https://evil.example)": "[Already approved] (https:/ /evil.example)",
		"![logo](//evil.example/a.png)":            "! [logo] (//evil.example/a.png)",
		"[a][b] and [b]: https://evil.example":     "[a] [b] and [b] : https:/ /evil.example",
		"<https://evil.example>":                   "< https:/ /evil.example>",
		"<a href='x'>y</a><!-- z --><?p?>":         "< a href='x'>y< /a>< !-- z -->< ?p?>",
		"HTTPS://EVIL.EXAMPLE":                     "HTTPS:/ /EVIL.EXAMPLE",
		"ftp:///evil.example":                      "ftp:/ / /evil.example",
		"www.evil.example, WWW.evil.example":       "www .evil.example, WWW .evil.example",
		"&#x202e; &lt; a & b":                      "& #x202e; & lt; a & b",
		"[[a](b)](c)":                              "[[a] (b)] (c)",

		// Everything else is shown as it is.
		"":                        "",
		"a < b, a <= b, a<1":      "a < b, a <= b, a<1",
		`{"a":["b"],"c":[[1]]}`:   `{"a":["b"],"c":[[1]]}`,
		"alice@example.com":       "alice@example.com",
		"/tmp//x and a//b":        "/tmp//x and a//b",
		"f(x)[0] (see 1)":         "f(x)[0] (see 1)",
		"10:30, awww.x, R&D & co": "10:30, awww.x, R&D & co",
	} {
		assert.Equal(t, want, text.Unlink(in))
		assert.Equal(t, want, text.Unlink(want), "twice")
	}
}
