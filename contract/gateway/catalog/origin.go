package catalog

// The origins of a [Fact].
const (
	fromContract    = "contract"
	fromAnnotations = "annotations"
	fromHints       = "hints"
	fromGuess       = "guess"
	fromMemory      = "memory"
	fromAdvice      = "advice"
	fromOperator    = "operator"
)
