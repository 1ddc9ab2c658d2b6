package scan

// Left reads a text and returns all the memory its run leaves for the next one.
// Buffers that aren't reused are not returned.
func Left(data []byte) (out, spare []byte, ok bool) {
	r := newRun(data)
	ok = r.all(everyValue)
	used := r.buffers
	r.end()
	return used.out[:cap(used.out)], used.spare[:cap(used.spare)], ok
}
