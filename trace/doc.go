// Package trace measures how far an HTTP call came: which phase it was in, on
// which connection, and how many bytes the kernel took of it. The result is a
// [classifier.Evidence], a plain value.
//
//	transport.DialContext = trace.Dial(dialer.DialContext) // counts bytes
//	attempt := trace.Begin(1)
//	resp, err := transport.RoundTrip(attempt.Request(req))
//	failure := classifier.FromError(err, attempt.End(callerCtx, req.Context()))
//
// Why not the error alone: net/http prints one text for a deadline that ran
// out in the pool, the dial, the TLS handshake or the wait for an answer, and
// its hooks fire when the bytes reach its own buffer, before the kernel has
// them. Only the hooks and a byte count together tell "never sent" from "sent,
// outcome unknown".
package trace
