package explain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/explain"
)

func TestTextIsAContract(t *testing.T) {
	const text = "TypeError: fetch failed\n  [cause]: SocketError: other side closed\n    code: 'UND_ERR_SOCKET'"
	b, err := json.Marshal(explain.Text([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	answer := got["answers"].([]any)[0].(map[string]any)
	want := map[string]any{
		"text_range": []any{0.0, float64(len(text))}, "runtime": "node-undici", "version": ">=5", "said_by": "client", "host": "", "method": "",
		"code": "EOF", "syscall": "", "phase": "await", "processed": "maybe", "basis": "assumed", "certainty": "likely",
		"get": "yes", "post": "no", "post_key": "yes", "wait_ms": nil, "reason": "may-have-been-processed",
		"lab_case": "response/fin", "nearest": []any{}, "own_retries": "",
	}
	for key, value := range want {
		if !reflect.DeepEqual(answer[key], value) {
			t.Errorf("%s is %v, want %v", key, answer[key], value)
		}
	}
	for _, key := range []string{"why", "open", "settle"} {
		if s, ok := answer[key].(string); !ok || s == "" {
			t.Errorf("%s is %v, want a sentence", key, answer[key])
		}
	}
	if got["schema"] != 1.0 || len(answer) != len(want)+3 {
		t.Errorf("schema %v, %d members, want 1 and %d", got["schema"], len(answer), len(want)+3)
	}
}

func TestRecordsOfDifferentCallsHaveNoOperation(t *testing.T) {
	text := "2024-01-02T03:04:05Z Get \"http://a.example/\": dial tcp 192.0.2.1:80: connect: connection refused\n" +
		"2024-01-02T03:04:06Z Get \"http://b.example/\": read tcp 192.0.2.1:1->192.0.2.2:80: read: connection reset by peer\n"
	r := explain.Text([]byte(text))
	if len(r.Answers) != 2 || r.Operation != nil {
		t.Fatalf("Text = %d answers, operation %+v; want 2 and none", len(r.Answers), r.Operation)
	}
	for i, want := range []string{"a.example", "b.example"} {
		a := r.Answers[i]
		line := text[a.Range[0]:a.Range[1]]
		if a.Host != want || !strings.Contains(line, want) || strings.Count(line, "http://") != 1 {
			t.Errorf("answer %d is of %s, its range is %q; want the line of %s", i, a.Host, line, want)
		}
	}
}

func TestAttemptsOfOneCallAreOneRecord(t *testing.T) {
	rows := []struct{ why, text, code, processed, post string }{
		{"a refused connect does not undo a request that went out before", "attempt 1: read tcp 192.0.2.1:1->192.0.2.2:80: read: connection reset by peer\nattempt 2: dial tcp 192.0.2.2:80: connect: connection refused", "ECONNREFUSED", "maybe", "no"},
		{"two refused connects are as good as one", "attempt 1: dial tcp 192.0.2.2:80: connect: connection refused\nattempt 1: dial tcp 192.0.2.2:80: connect: connection refused", "ECONNREFUSED", "never", "yes"},
		{"the counter tells of an attempt that the text does not show", "giving up after 3 attempts: dial tcp 192.0.2.2:80: connect: connection refused", "ECONNREFUSED", "maybe", "no"},
		{"one attempt hides none", "giving up after 1 attempt: dial tcp 192.0.2.2:80: connect: connection refused", "ECONNREFUSED", "never", "yes"},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			got := explain.Text([]byte(r.text))
			if len(got.Answers) != 1 || string(got.Operation.Code) != r.code || string(got.Operation.Processed) != r.processed || string(got.Operation.Post) != r.post {
				t.Errorf("Text(%q) = %d answers, %v; want one, %s %s %s", r.text, len(got.Answers), short(got.Operation), r.code, r.processed, r.post)
			}
		})
	}
}

func TestWaitIsReadWhereLoadIsLimited(t *testing.T) {
	rows := []struct {
		text string
		cell explain.Cell
		ms   int64 // negative: none is named
	}{
		{"429 Too Many Requests", explain.CellWait, -1},
		{"HTTP/1.1 429 Too Many Requests\nRetry-After: 30", explain.CellWait, 30_000},
		{"Error code: 429 - Rate limit reached. Please try again in 1m30s.", explain.CellWait, 90_000},
		{"429 rate limited, retry_after_ms: 1500", explain.CellWait, 1500},
		{"HTTP/1.1 503 Service Unavailable\nRetry-After: 120", explain.CellWait, 120_000},
		{"HTTP/1.1 503 Service Unavailable", explain.CellNo, -1},
		{"504 Gateway Time-out, please try again in a few minutes", explain.CellNo, -1},
		{"read ECONNRESET, retry in 5s", explain.CellNo, -1},
		{"429 Too Many Requests, retry after 99999999999999999999 seconds", explain.CellWait, 864e5},
	}
	for _, r := range rows {
		t.Run(r.text, func(t *testing.T) {
			a := explain.Text([]byte(r.text)).Answers[0]
			got := int64(-1)
			if a.WaitMS != nil {
				got = *a.WaitMS
			}
			if a.Post != r.cell || got != r.ms {
				t.Errorf("Text(%q): post %s, wait %d ms; want %s, %d", r.text, a.Post, got, r.cell, r.ms)
			}
		})
	}
}

func TestWhatNothingRecognisesIsUnknownAndNamesTheNearest(t *testing.T) {
	for _, text := range []string{"hello world", "the frobnicator refused the handshake of the connection", "日本語", "{}", "500 items", "\x1b[31m\x00"} {
		r := explain.Text([]byte(text))
		if len(r.Answers) != 1 || r.Answers[0].Code != "UNKNOWN" || r.Answers[0].Post != explain.CellUnknown || len(r.Answers[0].Nearest) != 2 || r.Recognised() {
			t.Errorf("Text(%q) = %+v, want UNKNOWN with the two nearest", text, r.Answers)
		}
	}
	if r := explain.Text([]byte(" \n\t")); len(r.Answers) != 0 || r.Operation != nil || r.Recognised() {
		t.Errorf("Text of nothing = %+v, want no answer", r)
	}
}

func TestCredentialsOfAURLAreNotRepeated(t *testing.T) {
	r := explain.Text([]byte(`Get "https://user:secret@host.example/x": dial tcp 192.0.2.1:443: connect: connection refused`))
	if a := r.Answers[0]; a.Host != "host.example" || strings.Contains(fmt.Sprint(a), "secret") {
		t.Errorf("the answer is %+v, want the host alone", a)
	}
}

func TestLongTextsAreReadAroundTheirWords(t *testing.T) {
	filler := bytes.Repeat([]byte("\x00\xff{[\"nothing to see here "), 5<<20/25)
	text := append(append(bytes.Clone(filler), "\nError: read ECONNRESET\n"...), filler...)
	r := explain.Text(text)
	if len(r.Answers) != 1 || r.Answers[0].Code != "ECONNRESET" || r.Answers[0].Range[1] > len(text) {
		t.Fatalf("Text of %d bytes = %+v, want ECONNRESET", len(text), r.Answers)
	}
	if r := explain.Text(filler); r.Recognised() {
		t.Errorf("Text of %d bytes of nothing = %+v", len(filler), r.Answers)
	}
}

func TestEscapeMakesTextSafeToPrint(t *testing.T) {
	rows := []struct {
		in   string
		most int
		want string
	}{
		{"plain ünïcode 日本", 0, "plain ünïcode 日本"},
		{"\x1b[31mred\x07\x00", 0, `\x1b[31mred\a\x00`},
		{"a\nb\tc\r", 0, `a\nb\tc\r`},
		{"\xff\xfe", 0, `\xff\xfe`},
		{"\u202eevil", 0, `\u202eevil`},
		{"日本語", 4, "日..."},
	}
	for _, r := range rows {
		if got := explain.Escape([]byte(r.in), r.most); got != r.want {
			t.Errorf("Escape(%q, %d) = %q, want %q", r.in, r.most, got, r.want)
		}
	}
}

func TestLineAnswersJSONWithJSON(t *testing.T) {
	rows := []struct {
		in, want string // want: a part of the answer, or of the error
		ok       bool
		fails    bool
	}{
		{`"connect ECONNREFUSED 127.0.0.1:1"`, `"code":"ECONNREFUSED"`, true, false},
		{` {"id":7,"text":"connect ECONNREFUSED 127.0.0.1:1","more":[1]}`, `{"id":7,"schema":1,`, true, false},
		{`{"id":"x","text":"odd"}`, `"code":"UNKNOWN"`, false, false},
		{`{"id":"x"}`, `no member "text"`, false, true},
		{`{"text":`, `not a JSON object`, false, true},
		{`"open`, `not a JSON string`, false, true},
		{strings.Repeat("[", 100_000), `not a JSON object`, false, true},
	}
	for _, r := range rows {
		t.Run(fmt.Sprintf("%.40s", r.in), func(t *testing.T) {
			out, ok, err := explain.Line([]byte(r.in))
			if (err != nil) != r.fails || ok != r.ok || !strings.Contains(string(out)+fmt.Sprint(err), r.want) {
				t.Errorf("Line(%.80q) = %.200s, %v, %v; want %s", r.in, out, ok, err, r.want)
			}
		})
	}
}

func TestPhrasesFindEveryExampleThatIsLookedForInLogs(t *testing.T) {
	phrases := explain.Phrases()
	for _, table := range explain.Tables() {
		for _, e := range table.Entries {
			names := e.Role == explain.Cause || e.Role == explain.Wrapper || e.Role == explain.Foreign
			if e.Quiet || !names || e.Rank != 0 && e.Rank < 20 || e.Role == explain.Wrapper && e.Rank == 0 {
				continue
			}
			found := false
			for _, p := range phrases {
				found = found || strings.Contains(e.Example, p)
			}
			if !found {
				t.Errorf("%s: no phrase is in its example %q", e.ID, e.Example)
			}
		}
	}
}

func TestWriteDictionaryHasARowForEveryEntry(t *testing.T) {
	var b strings.Builder
	if err := explain.WriteDictionary(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, table := range explain.Tables() {
		for _, e := range table.Entries {
			if n := strings.Count(page, `<a id="`+strings.ReplaceAll(e.ID, "/", "-")+`"></a>`); n != 1 {
				t.Errorf("%s has %d anchors, want 1", e.ID, n)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(page, -1) {
		if n := strings.Count(page, `<a id="`+m[1]+`"></a>`); n != 1 && m[1] != "by-code" {
			t.Errorf("%d anchors %s for a link, want 1", n, m[1])
		}
	}
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "| <a id=") {
			if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != 10 && n != 5 && n != 3 {
				t.Errorf("a row has %d bars: %s", n, line)
			}
		}
	}
	if err := explain.WriteDictionary(failingWriter{}); err == nil {
		t.Error("WriteDictionary to a writer that fails: no error")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("no room") }

func TestVerdictsNeverGoBeyondWhatWasProcessed(t *testing.T) {
	for _, table := range explain.Tables() {
		for _, e := range table.Entries {
			checkResult(t, []byte(e.Example), explain.Text([]byte(e.Example)))
		}
	}
}

func ExampleText() {
	r := explain.Text([]byte("Error: socket hang up\n    at Socket.socketOnEnd (node:_http_client:519:23) {\n  code: 'ECONNRESET'\n}"))
	a := r.Answers[0]
	fmt.Println(a.Code, a.Phase, a.Processed, "GET", a.Get, "POST", a.Post, "POST+KEY", a.PostKey)
	fmt.Println(a.Action())
	// Output:
	// EOF await maybe GET yes POST no POST+KEY yes
	// do not send a bare POST again, it may have worked; find out, or send the same key
}
