package contain

import "time"

// lastFake is later than the clocks of bubbles, which begin in the year 2000,
// and earlier than real ones. With a real clock that is wrong, the functions
// run on new goroutines, which is only slower.
const lastFake = 1_577_836_800 // 2020-01-01

// inBubble reports whether the clock is that of a bubble of testing/synctest. A
// worker would keep its bubble from ending, and one that began elsewhere cannot
// use the channels of the bubble.
func inBubble() bool { return time.Now().Unix() < lastFake }
