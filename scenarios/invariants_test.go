package scenarios

import (
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// fakeRow is a row whose one attempt failed as f, with deliveries as given.
func fakeRow(f classifier.Failure, deliveries ...servers.Delivery) []GroupResult {
	a := Attempt{N: 1, Port: 4711}
	a.enter(f)
	run := Run{Attempts: []Attempt{a}, Record: servers.Record{
		Connections: []servers.Connection{{N: 1, Port: 4711}},
		Deliveries:  deliveries,
	}}
	row := Row{ID: "g/x", Def: RowDef{ID: "g/x", Case: &Case{}}, Runs: []Run{run}}
	return []GroupResult{{Rows: []Row{row, row}}}
}

func refusedConnect() classifier.Failure {
	return classifier.Failure{
		Code: "ECONNREFUSED", Syscall: classifier.Connect, Phase: classifier.PhaseConnect,
		Processed: classifier.Never, Basis: classifier.Guaranteed,
	}
}

func TestACommittedDeliveryRefutesARetry(t *testing.T) {
	for _, tc := range []struct {
		why            string
		failure        classifier.Failure
		delivery       servers.Delivery
		unsafe, claims int
	}{
		{"a guarantee that the ledger refutes is unsafe", refusedConnect(),
			servers.Delivery{Attempt: 1, Connection: 1, Committed: true}, 1, 0},
		{"found by the port where no head arrived", refusedConnect(),
			servers.Delivery{Connection: 1, Committed: true}, 1, 0},
		{"a server's word that the ledger refutes is a refuted claim",
			classifier.FromResponse(classifier.Response{Status: 503}),
			servers.Delivery{Attempt: 1, Connection: 1, Committed: true}, 0, 1},
		{"an ambiguous verdict allows nothing, so there is nothing to refute",
			classifier.FromResponse(classifier.Response{Status: 500}),
			servers.Delivery{Attempt: 1, Connection: 1, Committed: true}, 0, 0},
	} {
		sound, _ := Runner{}.invariants(fakeRow(tc.failure, tc.delivery))
		if sound.Checked != 1 || len(sound.Unsafe) != tc.unsafe || len(sound.RefutedClaims) != tc.claims {
			t.Errorf("%s: %+v, want 1 checked, %d unsafe, %d refuted claims", tc.why, sound, tc.unsafe, tc.claims)
		}
	}
}

func TestWithheldIsWhatNothingReachedAndMayPass(t *testing.T) {
	reset := classifier.Failure{
		Code: "ECONNRESET", Syscall: classifier.Read, Phase: classifier.PhaseAwait,
		Processed: classifier.Maybe, Basis: classifier.Assumed,
	}
	nxdomain := classifier.Failure{
		Code: classifier.NotFound, Syscall: classifier.Getaddrinfo, Phase: classifier.PhaseResolve,
		Processed: classifier.Never, Basis: classifier.Guaranteed,
	}
	for _, tc := range []struct {
		why               string
		failure           classifier.Failure
		checked, withheld int
	}{
		{"a refused connection is retried", refusedConnect(), 1, 0},
		{"a reset may have been processed, though nothing arrived", reset, 1, 1},
		{"a name that does not exist will not pass", nxdomain, 0, 0},
	} {
		_, useful := Runner{}.invariants(fakeRow(tc.failure))
		if useful.Checked != tc.checked || len(useful.Withheld) != tc.withheld {
			t.Errorf("%s: %+v, want %d checked, %d withheld", tc.why, useful, tc.checked, tc.withheld)
		}
	}
}
