package agent

import "errors"

// MaxMessageBytes is how long one message of a server may be. The sessions of
// packages mcpgoclient and gosdkclient read no more of it, so that a server
// that sends without end cannot fill the memory.
const MaxMessageBytes = 16 << 20

// ErrMessageTooLarge is the error of a [Session] on which the server sent a
// message of more than [MaxMessageBytes]. The call fails with
// [CodeContractBroken] and is not repeated.
var ErrMessageTooLarge = errors.New("the server sent a message of more than 16 MiB")
