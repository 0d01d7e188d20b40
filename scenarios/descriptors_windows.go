package scenarios

import "math"

// caseDescriptors is what one case may need.
const caseDescriptors = 16

// descriptors: Windows bounds sockets by memory alone.
func descriptors() int { return math.MaxInt32 }
