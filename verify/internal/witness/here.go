package witness

// Here returns a recorder for this process, with the folders and transports of
// the options but without the kernel. It is for tests that [Run] cannot repeat.
// The result names the witnesses.
func Here(o Options) (*Recorder, Result) {
	return &Recorder{options: o}, Result{
		Seen: sources(o, false), Why: "only a *testing.T can run again in a child process", Unseen: withoutKernel(),
	}
}
