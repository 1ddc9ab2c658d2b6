package scan

// Left reads a text and returns all of the memory that its run leaves for the
// next one. It does not return buffers that are not used again.
func Left(data []byte) (out, spare []byte, ok bool) {
	r := newRun(data)
	ok = r.all(everyValue)
	used := r.buffers
	r.end()
	return used.out[:cap(used.out)], used.spare[:cap(used.spare)], ok
}
