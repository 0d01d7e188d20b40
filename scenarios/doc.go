// Package scenarios is the lab: cases as data, each a real fault made by a
// real server (or the kernel) and met by a real client, with what both sides
// saw. A verdict is computed from what the client observed by code that does
// not know which fault it was; the ledger then says whether it was right.
package scenarios
