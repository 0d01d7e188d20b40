// Package explain reads the text of an error, of any HTTP client, driver or
// gateway, and says what it means in the vocabulary of package classifier:
// what failed, how far the request had come, whether a server may have acted
// on it, and whether it may be sent again as a GET, as a bare POST and as a
// POST with an honoured idempotency key.
//
//	r := explain.Text([]byte("Error: read ECONNRESET"))
//	r.Operation.Code   // ECONNRESET
//	r.Operation.Phase  // await
//	r.Operation.Post   // no
//
// The knowledge is in tables, one file a runtime (know_*.go): literals that the
// runtime prints, what they mean, where that is written, and a text that shows
// it. All literals are looked for in one pass. Of the entries that fit, the one
// nearest to the cause names the failure; stack frames, operation words and
// counters say how far the request had come.
//
// A text proves less than an error value: whatever it leaves open is answered
// with the cautious word, and what nothing recognises is UNKNOWN.
package explain
