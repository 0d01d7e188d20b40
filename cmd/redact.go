package cmd

import (
	"github.com/retry-lab/retry-lab/scenarios"
	"github.com/retry-lab/retry-lab/servers"
)

// redact returns row as a report has it: without its idempotency keys, and its
// lists empty rather than null. What else is secret, the names and passwords of
// URLs, is masked on the way out.
func redact(row scenarios.Row) scenarios.Row {
	row.Attempts = append([]scenarios.Attempt{}, row.Attempts...)
	row.Ledger = append([]servers.Delivery{}, row.Ledger...)
	var keys servers.MaskKeys
	for i := range row.Ledger {
		row.Ledger[i].Key = keys.Mask(row.Ledger[i].Key)
	}
	return row
}
