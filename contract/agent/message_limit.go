package agent

import "errors"

// MaxMessageBytes is the largest size of one message of a server, in bytes. The
// sessions of packages mcpgoclient and gosdkclient read no more of a message,
// so that a server that sends without end cannot fill the memory.
const MaxMessageBytes = 16 << 20

// ErrMessageTooLarge means that the server sent a message of more than
// [MaxMessageBytes]. The methods of a [Session] return it. The call then fails
// with [CodeContractBroken] and is not repeated.
var ErrMessageTooLarge = errors.New("the server sent a message of more than 16 MiB")
