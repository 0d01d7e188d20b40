package cmd

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/classifier"
)

func newClassifyCmd(a *app) *cobra.Command {
	var (
		q       = newQuestion()
		headers []string
		longest = classifier.DefaultMaxWait
		format  *choice
	)
	c := &cobra.Command{
		Use:   "classify",
		Short: "May this request be sent again? Answer for a status, or for a code with its syscall and phase",
		Long: `classify says what a failure means for sending the request again: the verdict,
whether the server may have acted on it and how that is known, the server's wait,
the reason and its source. Without --method the request is a POST, the careful
answer.

Without --status and --code it reads JSON lines from stdin: one object a line, its
fields named as the flags with _ for -, "headers" an object. Flags given are the
default of every line.`,
		Example: `  retry-lab classify --status 503 --method POST --header 'Retry-After: 1'
  retry-lab classify --code ECONNREFUSED --syscall connect --phase connect
  echo '{"status":503,"method":"POST","headers":{"Retry-After":"1"}}' | retry-lab classify -o json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			q.hasStatus = c.Flags().Changed("status")
			if err := q.setFlags(headers, longest, c.Flags().Changed("max-wait")); err != nil {
				return err
			}
			if q.empty() {
				if isTerminal(a.stdin) {
					return usageError(askForm, "nothing to classify")
				}
				a.started = true
				return a.classifyLines(c.Context(), q, format.value)
			}
			answer, err := q.answer(a.lab.now())
			if err != nil {
				return err
			}
			a.started = true
			return a.printAnswer(answer, format.value)
		},
	}
	f := c.Flags()
	f.Var(wholeFlag{&q.status, 100, 999}, "status", "status of the response, 100 to 999")
	f.Var(textFlag{&q.code, "a code such as ECONNRESET"}, "code", "code of the failure: ECONNRESET, ENOTFOUND, TIMEOUT, …")
	f.Var(textFlag{&q.syscall, "a call such as connect"}, "syscall", "the call that failed: getaddrinfo, socket, connect, write, read")
	f.Var(textFlag{&q.phase, "a phase such as await"}, "phase", "how far the request had come: resolve, connect, write, await, …")
	f.Var(textFlag{&q.method, "a method such as POST"}, "method", "method of the request")
	f.BoolVar(&q.key, "key", false, "it carries an Idempotency-Key that the server honours")
	f.BoolVar(&q.keyUnhonoured, "key-unhonoured", false, "it carries an Idempotency-Key that the server may ignore")
	f.StringArrayVar(&headers, "header", nil, "a field of the response, 'Name: value'; may be repeated")
	f.BoolVar(&q.strict, "strict", false, "believe no server's bare claim that it did no work")
	f.Var(waitFlag{&longest}, "max-wait", "the longest wait of the server's that is still slept through; 0s: none")
	c.MarkFlagsMutuallyExclusive("key", "key-unhonoured")
	format = addFormat(c, "table", "json")
	complete(c, "syscall", texts(classifier.Syscalls()))
	complete(c, "phase", texts(classifier.Phases()))
	complete(c, "code", texts(classifier.Codes()))
	complete(c, "method", []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"})
	return c
}

func texts[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// An answer is what classify says. Its JSON form is part of the contract.
type answer struct {
	Schema    int                     `json:"schema"`
	Line      int                     `json:"line,omitempty"` // of stdin, from 1
	Verdict   classifier.Verdict      `json:"verdict"`
	Modify    classifier.Modification `json:"modify,omitempty"` // what to change, with retry-modified
	Processed classifier.Processed    `json:"processed"`
	Basis     classifier.Basis        `json:"basis"`
	WaitMS    float64                 `json:"wait_ms"` // the server's own; 0 where it named none
	Reason    classifier.Reason       `json:"reason"`
	Sentence  string                  `json:"sentence"`
	Source    string                  `json:"source"` // of the reason
	Code      classifier.Code         `json:"code"`
	Syscall   classifier.Syscall      `json:"syscall"`
	Phase     classifier.Phase        `json:"phase"`
	Status    int                     `json:"status"` // 0: no response

	FailureSource string `json:"failure_source"` // of what happened

	wait time.Duration // WaitMS without a loss
}

// words is the verdict with the change it asks for.
func (a answer) words() string {
	if a.Modify == "" {
		return string(a.Verdict)
	}
	return fmt.Sprintf("%s (%s)", a.Verdict, a.Modify)
}

func (a answer) waitText() string {
	if a.wait == 0 {
		return "none"
	}
	return a.wait.String()
}

// printAnswer prints one answer: the verdict first. Only for a terminal a line
// is broken.
func (a *app) printAnswer(x answer, format string) error {
	if format == "json" {
		return writeJSON(a.stdout, x, "")
	}
	v := view{width: math.MaxInt}
	if isTerminal(a.stdout.w) {
		v.width = a.width()
	}
	var b bytes.Buffer
	for _, line := range [][2]string{
		{"verdict", x.words()},
		{"processed", fmt.Sprintf("%s (%s)", x.Processed, x.Basis)},
		{"wait", x.waitText()},
		{"reason", fmt.Sprintf("%s: %s", x.Reason, x.Sentence)},
		{"source", x.Source},
		{"failure", x.failure() + "; " + x.FailureSource},
	} {
		v.lines(&b, fmt.Sprintf("%-11s", line[0]), line[1])
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

// failure is what happened, in the lab's words.
func (a answer) failure() string {
	text := string(a.Code)
	if a.Syscall != "" {
		text += " on " + string(a.Syscall)
	}
	return text + ", phase " + string(a.Phase)
}
