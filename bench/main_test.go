package main

import (
	"strings"
	"testing"
)

// The figures are for quiet machines. What a test can hold to is that every
// client is measured, and that the gate opens and shuts.
func TestEveryClientIsMeasured(t *testing.T) {
	var out strings.Builder
	ok, err := run(&out, 1, 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"net/http, bare", "retry", "go-retryablehttp", "failsafehttp", "rehttp", "resty"} {
		if n := strings.Count(out.String(), " "+name+"  "); n != 3 {
			t.Errorf("%s has %d rows, want one in each of three tables", name, n)
		}
	}
	if !ok || !strings.Contains(out.String(), ": kept; ") {
		t.Errorf("package retry allocates more than it may:\n%s", out.String())
	}
}

func TestTheGateIsAllocationsAndBytes(t *testing.T) {
	for _, tc := range []struct {
		why       string
		stub, put row
		ok        bool
	}{
		{"within both", row{allocs: maxAllocs, ns: 1e6}, row{bytes: maxPutBytes}, true},
		{"an allocation too many", row{allocs: maxAllocs + 1}, row{}, false},
		{"a body that is copied", row{}, row{bytes: 1 << 20}, false},
	} {
		var out strings.Builder
		if ok, err := verdict(&out, tc.stub, tc.put, tc.put); ok != tc.ok || err != nil {
			t.Errorf("%s: %v, %v: %s", tc.why, ok, err, out.String())
		}
	}
}
