package adapter

import "math"

// MethodProgress is the method of the notification that [Progress] sends.
const MethodProgress = "notifications/progress"

// Progress returns a function for [Request.Progress]. It calls send with the
// params of a notifications/progress for the progressToken of a call. A report
// with a number that JSON cannot express is dropped. Progress is best effort:
// send must not block, and should drop the notification if the client is too
// slow. Progress returns nil if the token is nil.
func Progress(token any, send func(params map[string]any)) func(done, total float64, note string) {
	if token == nil {
		return nil
	}
	return func(done, total float64, note string) {
		if !isFinite(done) || !isFinite(total) {
			return
		}
		params := map[string]any{"progressToken": token, "progress": done}
		if total != 0 {
			params["total"] = total
		}
		if note != "" {
			params["message"] = note
		}
		send(params)
	}
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
