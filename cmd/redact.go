package cmd

import (
	"fmt"
	"slices"

	"github.com/retry-lab/retry-lab/scenarios"
	"github.com/retry-lab/retry-lab/servers"
)

// redact returns row as a report has it: without its idempotency keys, and its
// lists empty rather than null. What else is secret, the names and passwords of
// URLs, is masked on the way out.
func redact(row scenarios.Row) scenarios.Row {
	row.Attempts = append([]scenarios.Attempt{}, row.Attempts...)
	row.Ledger = append([]servers.Delivery{}, row.Ledger...)
	var keys []string
	for i := range row.Ledger {
		row.Ledger[i].Key = maskKey(row.Ledger[i].Key, &keys)
	}
	return row
}

// maskKey names a key by its number among those seen so far: two keys can be
// told apart, and none is shown.
func maskKey(key string, seen *[]string) string {
	if key == "" {
		return ""
	}
	i := slices.Index(*seen, key)
	if i < 0 {
		i = len(*seen)
		*seen = append(*seen, key)
	}
	return fmt.Sprintf("set %d", i+1)
}
