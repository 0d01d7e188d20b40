package cmd

import (
	"testing"

	"github.com/retry-lab/retry-lab/retry"
)

// The defaults of the flags are written down twice: here they are held to what
// the zero policy does.
func TestThePolicyWithoutFlagsIsTheZeroPolicy(t *testing.T) {
	l, _ := testLab(t, testResult())
	got := invoke(t, l, "", "policy", "show")
	if want := retry.Explain(retry.Policy{}); got.code != exitOK || got.stdout != want {
		t.Errorf("%+v, want\n%s", got, want)
	}
}
