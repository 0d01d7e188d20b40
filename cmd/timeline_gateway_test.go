package cmd

import (
	"slices"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/scenarios"
	"github.com/retry-lab/retry-lab/servers"
)

// What reached only the gateway is not in the ledger of the row, and is seen
// all the same.
func TestTheTimelineShowsAGatewayBesideTheServer(t *testing.T) {
	epoch := time.Now()
	delivery := func(status int, after time.Duration) servers.Delivery {
		return servers.Delivery{N: 1, Connection: 1, At: epoch.Add(after), AtMS: float64(after.Milliseconds()), Answered: status, AnsweredAt: epoch.Add(after)}
	}
	run := scenarios.Run{Gateway: servers.Record{Deliveries: []servers.Delivery{delivery(504, time.Millisecond)}}}
	row := scenarios.Row{Runs: []scenarios.Run{run}, Ledger: []servers.Delivery{delivery(200, 2*time.Millisecond)}}
	var got []string
	for _, line := range moments(row).rows {
		got = append(got, line[2])
	}
	want := []string{
		"gateway's delivery 1: first byte, connection 1", "gateway's delivery 1: answered 504",
		"delivery 1: first byte, connection 1", "delivery 1: answered 200",
	}
	if !slices.Equal(got, want) {
		t.Errorf("server's side %q, want %q", got, want)
	}
}
