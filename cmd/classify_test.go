package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// classified is what classify -o json says, as a reader of it would declare it.
type classified struct {
	Schema        int     `json:"schema"`
	Line          int     `json:"line"`
	Verdict       string  `json:"verdict"`
	Modify        string  `json:"modify"`
	Processed     string  `json:"processed"`
	Basis         string  `json:"basis"`
	WaitMS        float64 `json:"wait_ms"`
	Reason        string  `json:"reason"`
	Sentence      string  `json:"sentence"`
	Source        string  `json:"source"`
	Code          string  `json:"code"`
	Syscall       string  `json:"syscall"`
	Phase         string  `json:"phase"`
	Status        int     `json:"status"`
	FailureSource string  `json:"failure_source"`
}

// short is what a test of a decision compares.
func (c classified) short() string {
	return fmt.Sprintf("%s %s/%s %g", strings.TrimSpace(c.Verdict+" "+c.Modify), c.Processed, c.Basis, c.WaitMS)
}

func decodeAnswers(t *testing.T, stdout string) []classified {
	t.Helper()
	var all []classified
	for line := range strings.Lines(stdout) {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var c classified
		if err := d.Decode(&c); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all = append(all, c)
	}
	return all
}

// decisions are asked once by flags and once by a JSON line.
var decisionTests = []struct {
	sentence string
	args     []string
	line     string
	want     string
}{
	{"a 503 that says when", []string{"--status", "503", "--header", "Retry-After: 1"},
		`{"status":503,"headers":{"Retry-After":"1"}}`, "retry never/claimed 1000"},
	{"a POST is what is asked about", []string{"--status", "500"}, `{"status":500}`, "ambiguous maybe/assumed 0"},
	{"a GET may go again", []string{"--status", "500", "--method", "GET"}, `{"status":500,"method":"GET"}`, "retry maybe/assumed 0"},
	{"an honoured key makes a POST safe", []string{"--status", "500", "--key"}, `{"status":500,"key":true}`, "retry maybe/assumed 0"},
	{"another key does not", []string{"--status", "500", "--key-unhonoured"}, `{"status":500,"key_unhonoured":true}`, "ambiguous maybe/assumed 0"},
	{"strictly, a bare claim is not believed", []string{"--status", "503", "--strict"}, `{"status":503,"strict":true}`, "ambiguous never/claimed 0"},
	{"a wait that is too long", []string{"--status", "503", "--header", "Retry-After: 10", "--max-wait", "5s"},
		`{"status":503,"headers":{"Retry-After":"10"},"max_wait":"5s"}`, "stop never/claimed 10000"},
	{"no wait at all is accepted", []string{"--status", "503", "--header", "Retry-After: 1", "--max-wait", "0s"},
		`{"status":503,"headers":{"Retry-After":"1"},"max_wait":"0s"}`, "stop never/claimed 1000"},
	{"a date counts from when it is asked", []string{"--status", "503", "--header", "Retry-After: Fri, 02 Jan 2026 03:04:08 GMT"},
		`{"status":503,"headers":{"retry-after":["Fri, 02 Jan 2026 03:04:08 GMT"]}}`, "retry never/claimed 3000"},
	{"what to change is named", []string{"--status", "421"}, `{"status":421}`, "retry-modified other-connection never/guaranteed 0"},
	{"refused on connect", []string{"--code", "ECONNREFUSED", "--syscall", "connect", "--phase", "connect"},
		`{"code":"ECONNREFUSED","syscall":"connect","phase":"connect"}`, "retry never/guaranteed 0"},
	{"refused on read", []string{"--code", "ECONNREFUSED", "--syscall", "read"},
		`{"code":"ECONNREFUSED","syscall":"read"}`, "ambiguous maybe/assumed 0"},
}

func TestClassifyDecides(t *testing.T) {
	for _, tt := range decisionTests {
		t.Run(tt.sentence, func(t *testing.T) {
			l, _ := testLab(t, testResult())
			got := invoke(t, l, "", append([]string{"classify", "-o", "json"}, tt.args...)...)
			if got.code != exitOK || got.stderr != "" {
				t.Fatalf("exit %d, stderr %q", got.code, got.stderr)
			}
			if c := decodeAnswers(t, got.stdout)[0]; c.short() != tt.want || c.Schema != 1 || c.Source == "" || c.Sentence == "" || c.FailureSource == "" {
				t.Errorf("by flags %q (%+v), want %q", c.short(), c, tt.want)
			}
			got = invoke(t, l, tt.line, "classify", "-o", "json")
			if got.code != exitOK || got.stderr != "" {
				t.Fatalf("exit %d, stderr %q", got.code, got.stderr)
			}
			if c := decodeAnswers(t, got.stdout)[0]; c.short() != tt.want || c.Line != 1 {
				t.Errorf("by a line %q, want %q", c.short(), tt.want)
			}
		})
	}
}

func TestClassifyPrintsTheVerdictFirst(t *testing.T) {
	l, _ := testLab(t, testResult())
	got := invoke(t, l, "", "classify", "--status", "503", "--method", "POST", "--header", "Retry-After: 1")
	var names []string
	for line := range strings.Lines(got.stdout) {
		names = append(names, strings.Fields(line)[0])
	}
	if want := "verdict processed wait reason source failure"; strings.Join(names, " ") != want {
		t.Errorf("lines begin with %v, want %s:\n%s", names, want, got.stdout)
	}
	if !strings.HasPrefix(got.stdout, "verdict    retry\nprocessed  never (claimed)\nwait       1s\nreason     server-said-wait: ") {
		t.Errorf("stdout:\n%s", got.stdout)
	}
}

func TestAMalformedLineIsNamedAndTheOthersAnswered(t *testing.T) {
	long := `{"code":"` + strings.Repeat("x", maxLine) + `"}`
	for _, tt := range []struct{ sentence, line, stderr string }{
		{"no JSON", `status=503`, `line 2: not a JSON object: `},
		{"no object", `[503]`, `line 2: not a JSON object: an array (a line is one object such as {"status":503,"method":"POST"})`},
		{"nothing", `null`, `line 2: not a JSON object: null (a line is `},
		{"two values", `{"status":503}{}`, `line 2: not a JSON object: `},
		{"unknown field", `{"stauts":503}`, `line 2: unknown field "stauts" (the fields are status, code, `},
		{"field in other letters", `{"Status":503}`, `line 2: unknown field "Status" (`},
		{"wrong type", `{"status":"503"}`, `line 2: field status: want a number from 100 to 999, got string`},
		{"fraction", `{"status":503.5}`, `line 2: field status: want a number from 100 to 999, got number 503.5`},
		{"wrong type of a flag", `{"status":503,"key":1}`, `line 2: field key: want true or false, got number`},
		{"too large for a number", `{"status":99999999999999999999}`, `line 2: field status: want a number from 100 to 999, got number 99999999999999999999`},
		{"an empty code", `{"code":""}`, `line 2: field code: want a code such as "ECONNRESET", got an empty string`},
		{"an empty method", `{"status":503,"method":""}`, `line 2: field method: want a method such as "POST", got an empty string`},
		{"a null", `{"status":503,"key":null}`, `line 2: field key: want true or false, got null`},
		{"a status that is null", `{"status":null}`, `line 2: field status: want a number from 100 to 999, got null`},
		{"headers that are null", `{"status":503,"headers":null}`, `line 2: field headers: want an object such as {"Retry-After":"1"}, got null`},
		{"a header that is null", `{"status":503,"headers":{"a":null}}`, `line 2: field headers: header "a": want a string or a list of strings`},
		{"a null in a list", `{"status":503,"headers":{"a":["x",null]}}`, `line 2: field headers: header "a": want a string or a list of strings`},
		{"of several the first", `{"headers":{"b b":"x","a\u0001":"y","c":5}}`, `line 2: field headers: header name "b b" is not a token `},
		{"a name of a hundred lines", `{"` + strings.Repeat("y", 1000) + `":1}`, `line 2: unknown field "` + strings.Repeat("y", 99) + `…" (`},
		{"out of range", `{"status":99}`, `line 2: 99 is not a status (a status is a number from 100 to 999)`},
		{"zero", `{"status":0}`, `line 2: 0 is not a status (`},
		{"nothing asked", `{}`, `line 2: there is neither a status nor a code (`},
		{"headers no object", `{"status":503,"headers":["a"]}`, `line 2: field headers: want an object such as {"Retry-After":"1"}, got an array`},
		{"header no string", `{"status":503,"headers":{"A":1}}`, `line 2: field headers: header "A": want a string or a list of strings`},
		{"header name", `{"status":503,"headers":{"A b":"1"}}`, `line 2: field headers: header name "A b" is not a token `},
		{"duration", `{"status":503,"max_wait":5}`, `line 2: field max_wait: want a duration such as "5s", got 5`},
		{"duration text", `{"status":503,"max_wait":"soon"}`, `line 2: field max_wait: "soon" is not a duration such as "5s"`},
		{"both keys", `{"status":503,"key":true,"key_unhonoured":true}`, `line 2: key and key_unhonoured exclude each other (`},
		{"method", `{"status":503,"method":"GE T"}`, `line 2: method "GE T" is not a token `},
		{"control characters", "{\"\x1b[31m\":1}", `line 2: not a JSON object: `},
		{"escaped control characters", `{"\u001b[31m":1}`, `line 2: unknown field "\x1b[31m" (`},
		{"too long", long, fmt.Sprintf("line 2: longer than %d bytes", maxLine)},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			l, _ := testLab(t, testResult())
			stdin := `{"status":200}` + "\n" + tt.line + "\n\n" + `{"status":404}`
			got := invoke(t, l, stdin, "classify", "-o", "json")
			if got.code != exitDiffers {
				t.Errorf("exit %d, want 1", got.code)
			}
			if !strings.HasPrefix(got.stderr, "retry-lab: "+tt.stderr) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("stderr %q, want one line beginning %q", got.stderr, tt.stderr)
			}
			answers := decodeAnswers(t, got.stdout)
			if len(answers) != 2 || answers[0].Line != 1 || answers[0].Status != 200 || answers[1].Line != 4 || answers[1].Status != 404 {
				t.Errorf("the other lines were answered with %+v", answers)
			}
		})
	}
}

func TestTheFirstLineMayBeginWithAByteOrderMark(t *testing.T) {
	l, _ := testLab(t, testResult())
	got := invoke(t, l, "\ufeff"+`{"status":200}`+"\n\ufeff"+`{"status":404}`, "classify", "-o", "json")
	if answers := decodeAnswers(t, got.stdout); len(answers) != 1 || answers[0].Status != 200 {
		t.Errorf("answered with %+v", answers)
	}
	if got.code != exitDiffers || !strings.HasPrefix(got.stderr, "retry-lab: line 2: not a JSON object: ") {
		t.Errorf("exit %d, stderr %q; want the mark of the second line named", got.code, got.stderr)
	}
}

func TestAnEndlessWaitIsTheLongestThereIs(t *testing.T) {
	const longest = "2562047h47m16.854775807s"
	for _, digits := range []string{"999999999999999999", "9223372036", strings.Repeat("9", 100_000)} {
		l, _ := testLab(t, testResult())
		args := []string{"classify", "--status", "503", "--header", "Retry-After: " + digits}
		got := invoke(t, l, "", args...)
		if want := "verdict    stop\nprocessed  never (claimed)\nwait       " + longest + "\n"; digits != "9223372036" && !strings.HasPrefix(got.stdout, want) {
			t.Errorf("Retry-After of %d digits:\n%swant it to begin with\n%s", len(digits), got.stdout, want)
		}
		got = invoke(t, l, "", append(args, "-o", "json")...)
		if c := decodeAnswers(t, got.stdout)[0]; c.Verdict != "stop" || c.WaitMS < 9223372036000 {
			t.Errorf("Retry-After of %d digits: %s, wait_ms %f", len(digits), c.Verdict, c.WaitMS)
		}
	}
	l, _ := testLab(t, testResult())
	got := invoke(t, l, `{"status":503,"headers":{"Retry-After":"`+strings.Repeat("9", 20_000)+`"}}`, "classify")
	if !strings.HasPrefix(got.stdout, "1: stop; processed never (claimed); wait "+longest+"; ") {
		t.Errorf("a line gave %+v", got)
	}
}

// counted counts the lines that were read of it.
type counted struct {
	line  string
	lines int
}

func (c *counted) Read(p []byte) (int, error) {
	c.lines++
	return copy(p, c.line), nil
}

func TestLinesAreReadNoFurtherThanTheirAnswersCanBeWritten(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		err      error
		code     int
		stderr   string
	}{
		{"a closed pipe", syscall.EPIPE, exitClosedPipe, ""},
		{"a full disk", syscall.ENOSPC, exitBroken, "retry-lab: cannot write the results: " + syscall.ENOSPC.Error() + " (is the disk full?)\n"},
	} {
		for _, format := range []string{"table", "json"} {
			for _, many := range []int{1, 100} { // answers that end a read, and that fill a buffer
				in := &counted{line: strings.Repeat(`{"status":503}`+"\n", many)}
				l, _ := testLab(t, testResult())
				var stderr strings.Builder
				a := newApp(in, failing{&os.PathError{Op: "write", Path: "|1", Err: tt.err}}, &stderr, os.LookupEnv, l)
				code := a.execute(t.Context(), []string{"classify", "-o", format}) // in never ends
				if code != tt.code || stderr.String() != tt.stderr || in.lines > 2 {
					t.Errorf("%s, -o %s: exit %d after %d reads, stderr %.200q; want %d and %q", tt.sentence, format, code, in.lines, stderr.String(), tt.code, tt.stderr)
				}
			}
		}
	}
}

func TestFlagsAreTheDefaultOfEveryLine(t *testing.T) {
	l, _ := testLab(t, testResult())
	stdin := `{"status":500}` + "\n" + `{"status":500,"method":"POST"}` + "\n" + `{"status":500,"method":"POST","key":true}` + "\n" + `{"status":503}` + "\n"
	got := invoke(t, l, stdin, "classify", "-o", "json", "--method", "GET", "--strict", "--header", "Retry-After: 2")
	var verdicts []string
	for _, c := range decodeAnswers(t, got.stdout) {
		verdicts = append(verdicts, fmt.Sprintf("%s %g", c.Verdict, c.WaitMS))
	}
	if want := "retry 2000, ambiguous 0, retry 2000, retry 2000"; strings.Join(verdicts, ", ") != want {
		t.Errorf("verdicts %v, want %s", verdicts, want)
	}
}

func TestLinesArePrintedOneALine(t *testing.T) {
	l, _ := testLab(t, testResult())
	got := invoke(t, l, `{"status":429,"headers":{"Retry-After":"2"}}`+"\n"+`{"status":200}`+"\n", "classify")
	lines := strings.Split(got.stdout, "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "1: retry; processed never (claimed); wait 2s; server-said-wait: ") || !strings.HasPrefix(lines[1], "2: done; ") {
		t.Errorf("stdout:\n%s", got.stdout)
	}
}

func TestClassifyOfNoLinesAnswersNothing(t *testing.T) {
	l, _ := testLab(t, testResult())
	if got := invoke(t, l, "", "classify"); got != (outcome{0, "", ""}) {
		t.Errorf("%+v, want nothing", got)
	}
}

func FuzzALineIsAnsweredOrNamed(f *testing.F) {
	for _, tt := range decisionTests {
		f.Add(tt.line)
	}
	f.Add("{\"status\":503,\"headers\":{\"\\u0000\":[null]}}")
	f.Add("null")
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n") || strings.TrimSpace(line) == "" {
			return
		}
		l, _ := testLab(t, testResult())
		got := invoke(t, l, line, "classify", "-o", "json")
		answered := got.code == exitOK && strings.Count(got.stdout, "\n") == 1 && got.stderr == ""
		named := got.code == exitDiffers && got.stdout == "" && strings.HasPrefix(got.stderr, "retry-lab: line 1: ") && strings.Count(got.stderr, "\n") == 1
		if !answered && !named {
			t.Errorf("%q gave %+v", line, got)
		}
	})
}
