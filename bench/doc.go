// Command bench compares what a request costs with the clients that Go teams
// use to try again: net/http bare, package retry, go-retryablehttp,
// failsafe-go's failsafehttp, rehttp and resty. It is a module of its own, so
// that none of them is a requirement of the lab.
//
//	go run . [-rounds 10] [-requests 2000]
//
// Three tables: a base that answers at once (what the client itself costs), a
// server on loopback (what is left of that in practice), and a PUT of 1 MiB
// from memory (what is copied). In each round every client has its turn, in
// an order that changes, and is compared with net/http of the same round: a
// machine that is busy for a while is so for all of them. It exits 1 if
// package retry allocates more than it may.
package main
