package main

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/scenarios"
)

// judged are a row's decisions as a GET, a bare POST, and a POST with a key.
// Reasons are the bare POST's: one, but for rows in which the outcome races.
type judged struct {
	get, post, postKey classifier.Decision
	reasons            []classifier.Reason
}

// judge decides anew what a row's cells describe, because the cells hold less
// than the decision: `no` may mean "find out first" or "never". What it decides
// must be what was recorded. Rows without verdicts give nil.
func judge(r row) (*judged, error) {
	for _, column := range []string{"code", "processed", "get", "post", "post_key"} {
		if r.text(column) == "" {
			return nil, nil
		}
	}
	var found *judged
	for _, f := range failures(r) {
		j := decide(f)
		if !j.agrees(r) {
			continue
		}
		switch {
		case found == nil:
			found = &j
		case found.advice() != j.advice():
			return nil, fmt.Errorf("its cells stand for %q and for %q", found.advice(), j.advice())
		case !slices.Contains(found.reasons, j.post.Reason):
			found.reasons = append(found.reasons, j.post.Reason)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("the classifier does not decide as recorded: make golden")
	}
	return found, nil
}

func decide(f classifier.Failure) judged {
	j := judged{
		get:     classifier.Decide(f, classifier.Request{Method: "GET", BodyReplayable: true}, classifier.Policy{}),
		post:    classifier.Decide(f, classifier.Request{Method: "POST", BodyReplayable: true}, classifier.Policy{}),
		postKey: classifier.Decide(f, classifier.Request{Method: "POST", BodyReplayable: true, Key: true, KeyHonoured: true}, classifier.Policy{}),
	}
	j.reasons = []classifier.Reason{j.post.Reason}
	return j
}

// agrees: the decisions are those that were recorded.
func (j judged) agrees(r row) bool {
	reasons := r.values("reason")
	return scenarios.Cell(j.get.Verdict) == r.text("get") && scenarios.Cell(j.post.Verdict) == r.text("post") && scenarios.Cell(j.postKey.Verdict) == r.text("post_key") &&
		(reasons == nil || slices.Contains(reasons, string(j.post.Reason)))
}

// failures are all that the cells may stand for: each has one value where a
// cell has several.
func failures(r row) []classifier.Failure {
	var server classifier.ServerSays
	if n, err := strconv.Atoi(r.text("retry_after")); err == nil {
		server = classifier.ServerSays{HasWait: true, Wait: time.Duration(n) * time.Second}
	}
	var list []classifier.Failure
	for _, code := range r.values("code") {
		for _, phase := range r.phases(code) {
			for _, processed := range r.values("processed") {
				list = append(list, classifier.Failure{
					Code: classifier.Code(code), Phase: classifier.Phase(phase), Processed: classifier.Processed(processed),
					Status: r.status(code), Server: server,
				})
			}
		}
	}
	return list
}

// phases: a table of answers has no column for it.
func (r row) phases(code string) []string {
	if list := r.values("phase"); list != nil {
		return list
	}
	if strings.HasPrefix(code, classifier.HTTPPrefix) {
		return []string{string(classifier.PhaseAnswered)}
	}
	return []string{string(classifier.PhaseUnknown)}
}

// status: that of an answer is in its code. What a proxy answered to CONNECT
// is in the error's text, by its name; 0 where there was none.
func (r row) status(code string) int {
	if n, err := strconv.Atoi(strings.TrimPrefix(code, classifier.HTTPPrefix)); err == nil {
		return n
	}
	if code == string(classifier.Proxy) {
		for status := 300; status < 600; status++ {
			if text := http.StatusText(status); text != "" && text == r.text("message") {
				return status
			}
		}
	}
	return 0
}
