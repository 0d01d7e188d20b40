package scenarios

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

func TestTheCellWithoutATraceSaysWhereTheLedgerRefutesIt(t *testing.T) {
	reset := classifier.Failure{Code: "ECONNRESET", Phase: classifier.PhaseUnknown, Processed: classifier.Maybe, Basis: classifier.Assumed}
	expect := classifier.FromResponse(classifier.Response{Status: 417})
	acted := servers.Delivery{Attempt: 1, Connection: 1, Committed: true}
	for _, tc := range []struct {
		why        string
		failure    classifier.Failure
		deliveries []servers.Delivery
		want       string
	}{
		{"nothing arrived, and nothing forbids it", refusedConnect(), nil, "connect, never, yes"},
		{"arrived, and not acted on", refusedConnect(), []servers.Delivery{{Attempt: 1, Connection: 1}}, "connect, never, yes"},
		{"the work was done", refusedConnect(), []servers.Delivery{acted}, "connect, never, yes, refuted"},
		{"done by another attempt: not this one's word", refusedConnect(), []servers.Delivery{{Attempt: 2, Connection: 1, Committed: true}}, "connect, never, yes"},
		{"a modified request does the work twice, too", expect, []servers.Delivery{acted}, "answered, never, modified, refuted"},
		{"who does not send again is not refuted", reset, []servers.Delivery{acted}, "unknown, maybe, no"},
	} {
		run := fakeRow(reset, tc.deliveries...)[0].Rows[0].Runs[0]
		run.Attempts[0].Untraced = tc.failure
		if got := untracedCell(Runner{}.judge(run)); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}

// checkUntraced tests what the whole lab shows of errors without a trace: no
// verdict is bolder than the one with a trace, and those that the ledger
// refutes are the ones that the documentation lists.
func checkUntraced(t *testing.T, groups []GroupResult) {
	t.Helper()
	_, post, _ := judgedAs()
	var list []string
	complete := true
	for _, g := range groups {
		for _, row := range g.Rows {
			complete = complete && row.Skipped == ""
			for _, run := range row.Runs {
				for _, a := range run.Attempts {
					traced := classifier.Decide(a.Failure, post, classifier.Policy{})
					alone := classifier.Decide(a.Untraced, post, classifier.Policy{})
					if resends(alone.Verdict) && !resends(traced.Verdict) {
						t.Errorf("%s: without a trace %+v allows a POST, with it %+v does not", row.ID, a.Untraced, a.Failure)
					}
				}
			}
			if row.Def.ID == row.Def.Case.ID || row.Def.Part != "" {
				for text := range row.Seen["untraced"] {
					if strings.HasSuffix(text, refuted) && !slices.Contains(list, row.ID) {
						list = append(list, row.ID)
					}
				}
			}
		}
	}
	if runtime.GOOS == "linux" && complete {
		page, ok := refutedOnThePage(t)
		if slices.Sort(list); ok && !slices.Equal(list, page) {
			t.Errorf("the ledger refutes what the error alone says in %q; docs/trace.md lists %q: make golden docs", list, page)
		}
	}
}

var (
	refutedSection = regexp.MustCompile(`(?s)<a id="refuted"></a>(.*?)(?:<a id=|$)`)
	refutedItem    = regexp.MustCompile(`(?m)^- \[([^]]+)\]`)
)

// refutedOnThePage reads the list of docs/trace.md, sorted. It is not ok where
// the page has not been made yet, which make lint finds.
func refutedOnThePage(t *testing.T) (ids []string, ok bool) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "trace.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	section := refutedSection.FindSubmatch(page)
	if section == nil {
		t.Fatal("docs/trace.md has no section #refuted")
	}
	for _, m := range refutedItem.FindAllSubmatch(section[1], -1) {
		ids = append(ids, string(m[1]))
	}
	slices.Sort(ids)
	return ids, true
}
