// Package servers makes HTTP calls fail, on loopback, for real: each server
// here has one fault, a real socket, and a [Ledger] that says what reached it.
//
//	start := time.Now()
//	srv := servers.Must[*servers.Server](t)(servers.NewReset(servers.Options{}))
//	_, err := client.Post(srv.URL(), "text/plain", body)
//	record := srv.Finish(start) // closes, joins, and returns the complete ledger
//
// A client's error says what the client believes; the ledger says what is
// true. A test that a POST is never sent twice counts deliveries, not errors.
//
// Servers listen on 127.0.0.1:0 unless told otherwise, keep their state by
// path or key and never by the order of arrival, bound every size, and end all
// their waits and goroutines in Close.
package servers
