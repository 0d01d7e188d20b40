package cmd

import (
	"fmt"
	"slices"

	"github.com/retry-lab/retry-lab/scenarios"
	"github.com/retry-lab/retry-lab/servers"
)

// A Row is scenarios.Row as a report has it: its idempotency keys are masked,
// and its lists are empty rather than absent.
type Row struct {
	scenarios.Row
	Attempts []scenarios.Attempt `json:"attempts"`
	Ledger   []servers.Delivery  `json:"ledger"`
}

// redact returns row without its idempotency keys. What else is secret, the
// names and passwords of URLs, is masked on the way out.
func redact(row scenarios.Row) Row {
	out := Row{
		Row:      row,
		Attempts: append([]scenarios.Attempt{}, row.Attempts...),
		Ledger:   append([]servers.Delivery{}, row.Ledger...),
	}
	var keys []string
	for i := range out.Ledger {
		out.Ledger[i].Key = maskKey(out.Ledger[i].Key, &keys)
	}
	return out
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
