package adapters_test

import (
	"strconv"
	"strings"
)

// A call is a tools/call. Its parts are raw JSON, so that a rule can send what
// no JSON library would write.
type call struct {
	tool string
	// arguments is the value of that member. If it is empty, the member is
	// absent.
	arguments string
	// meta holds members of _meta, without braces.
	meta string
	// params holds further members of the parameters, without braces.
	params string
	// headers holds further HTTP headers, by name.
	headers map[string]string
}

func (c call) request() request {
	members := []string{`"name":` + quote(c.tool)}
	if c.arguments != "" {
		members = append(members, `"arguments":`+c.arguments)
	}
	if c.params != "" {
		members = append(members, c.params)
	}
	return request{method: "tools/call", name: c.tool, params: strings.Join(members, ","), meta: c.meta, headers: c.headers}
}

// A request is any request of a client.
type request struct {
	method string
	// name is the value of the Mcp-Name header. If it is empty, there is none.
	name string
	// params holds the members of the parameters, without braces and without
	// _meta.
	params string
	// meta holds members of _meta, without braces.
	meta    string
	headers map[string]string
	// raw replaces the parameters with any JSON value, in older versions.
	raw string
}

// text returns the message. capabilities are the client's, as JSON.
func (r request) text(id int64, v version, capabilities string) string {
	params := r.raw
	if params == "" {
		params = "{" + strings.Join(some(r.params, r.metaText(v, capabilities)), ",") + "}"
	}
	return `{"jsonrpc":"2.0","id":` + strconv.FormatInt(id, 10) + `,"method":` + quote(r.method) + `,"params":` + params + `}`
}

// metaText returns the member _meta, or "" if it isn't needed.
func (r request) metaText(v version, capabilities string) string {
	protocol := ""
	if v == newer {
		protocol = `"io.modelcontextprotocol/protocolVersion":"` + string(newer) + `","io.modelcontextprotocol/clientCapabilities":` +
			capabilities
		if !strings.Contains(r.meta, "io.modelcontextprotocol/clientInfo") {
			protocol += `,"io.modelcontextprotocol/clientInfo":{"name":"adapters","version":"1.0.0"}`
		}
	}
	members := some(r.meta, protocol)
	if len(members) == 0 {
		return ""
	}
	return `"_meta":{` + strings.Join(members, ",") + "}"
}

// some returns the texts that aren't empty.
func some(texts ...string) []string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}

// The capabilities a client declares.
const (
	none         = `{}`
	forms        = `{"elicitation":{"form":{}}}`
	formsAndURLs = `{"elicitation":{"form":{},"url":{}}}`
)

// listing returns a tools/list from a cursor. An empty cursor asks for the
// first page.
func listing(cursor string) request {
	r := request{method: "tools/list"}
	if cursor != "" {
		r.params = `"cursor":` + quote(cursor)
	}
	return r
}
