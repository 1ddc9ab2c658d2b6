package scan

import "github.com/toolcontract/toolcontract/internal/strictjson"

// foreign reads a value that the validator checks.
func (r *run) foreign(k *check) bool {
	begin := r.at
	end, ok := valueEnd(r.data, begin)
	if !ok {
		return false
	}
	r.at = end
	depth, elements := strictjson.DefaultDepth-r.depth, strictjson.DefaultElements-r.count
	if depth <= 0 || elements <= 0 {
		return false
	}
	tree, err := strictjson.Parse(r.data[begin:end], strictjson.Limits{Depth: depth, Elements: elements})
	if err != nil || !k.foreign(tree) {
		return false
	}
	r.count += strictjson.Count(tree)
	canonical, err := strictjson.Marshal(tree)
	r.out = append(r.out, canonical...)
	return err == nil
}

// valueEnd returns the index after the value that begins at an index. It only
// looks for the end: the value may not be valid JSON.
func valueEnd(data []byte, at int) (end int, ok bool) {
	for depth := 0; at < len(data); {
		switch data[at] {
		case '"':
			if at, _ = textEnd(data, at+1); at < 0 {
				return 0, false
			}
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		default:
			at++
			if depth == 0 {
				for at < len(data) && !isDelimiter(data[at]) {
					at++
				}
			}
		}
		if depth <= 0 {
			return at, depth == 0
		}
	}
	return 0, false
}

func isDelimiter(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\n' || c == '\r'
}
