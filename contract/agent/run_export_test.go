package agent

// KeyOf returns the idempotency key that the options of a call set, and whether
// a person has approved it.
func KeyOf(opts []CallOption) (key string, approved bool) {
	var c callConfig
	for _, o := range opts {
		o.applyToCall(&c)
	}
	return c.key, c.approved
}
