package audit

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// What a case costs beside its command: the same client is run by the harness,
// with servers of its own, a group that is killed and a ledger that is read, and
// by os/exec against a server that is there already. The metrics are medians.
func BenchmarkHarness(b *testing.B) {
	l := testLab(b, "once")
	c := caseOf(Cases(), "control/ok")
	s := &site{}
	if err := s.listen("", nil, c.variant(0)); err != nil {
		b.Fatal(err)
	}
	defer s.close()
	var audited, plain []float64
	for b.Loop() {
		start := time.Now()
		o := l.once(b.Context(), c, 0, func() {})
		audited = append(audited, milliseconds(start))
		if o.Broken != "" || !o.Exited || o.Exit != 0 || o.Deliveries != 1 {
			b.Fatalf("observation %+v", o)
		}
		call, err := s.origin.Create(servers.Script{Steps: []servers.Step{fault("200")}})
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command(l.path, l.o.Command[1:]...)
		cmd.Env = append(os.Environ(), "RETRY_LAB_URL="+call.URL(), "RETRY_LAB_METHOD=GET", "RETRY_LAB_BODY_FILE="+l.files[NoBody])
		start = time.Now()
		if _, err := cmd.Output(); err != nil {
			b.Fatal(err)
		}
		plain = append(plain, milliseconds(start))
	}
	b.ReportMetric(median(audited), "ms/case")
	b.ReportMetric(median(plain), "ms/command")
	b.ReportMetric(median(audited)-median(plain), "ms/harness")
	b.ReportMetric(slices.Min(audited)-slices.Min(plain), "ms/harness-best")
}

func milliseconds(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }
