// Package classifier turns what a client saw of a failed HTTP call into a
// decision about sending it again. It works in two steps, each a pure
// function without I/O, clock, goroutine or mutable state:
//
//	failure  := classifier.FromError(err, evidence)      // or FromResponse(response)
//	decision := classifier.Decide(failure, request, policy)
//
// A [Failure] says what happened and whether the server may have acted on it.
// It does not say whether to retry: that depends as much on the request (its
// method, its key, its body) as on the failure, so [Decide] takes both, and
// nothing here takes an error alone and returns a bool.
//
// The zero [Evidence] means "no trace": the failure is then judged from the
// error value, more cautiously. Package trace makes an Evidence that says
// which phase the call had reached, which an error value often cannot
// (net/http prints one text for a timeout in the pool, the dial, the TLS
// handshake and the wait for an answer).
//
// Sources are RFC sections, errno pages or the Go source; every [Reason]
// names its own.
package classifier
