package derive

import (
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// describeDurations adds the duration bounds to the description, because
// clients don't know their keywords.
func (t *target) describeDurations() {
	if t.kind == kindArray && t.item != nil {
		t.item.describeDurations()
		return
	}
	var bounds []string
	if text, ok := t.schema.Value(schema.MinimumKeyword).(string); ok {
		bounds = append(bounds, "at least "+text)
	}
	if text, ok := t.schema.Value(schema.MaximumKeyword).(string); ok {
		bounds = append(bounds, "at most "+text)
	}
	if t.kind != kindDuration || len(bounds) == 0 {
		return
	}
	text := strings.Join(bounds, ", ")
	text = strings.ToUpper(text[:1]) + text[1:] + "."
	if own, _ := t.schema.Value("description").(string); own != "" {
		if !strings.ContainsAny(own[len(own)-1:], ".!?") {
			own += "."
		}
		text = own + " " + text
	}
	t.schema.Set("description", text)
}

// parseDuration converts a Go duration to its ISO 8601 text.
func parseDuration(text string) (any, bool) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return nil, false
	}
	written, err := strictjson.FormatDuration(d)
	return written, err == nil
}
