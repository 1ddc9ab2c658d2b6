package derive

// The two ways to write a schema.
var (
	Write   = write
	Marshal = marshal
)
