package classifier_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// A client asks after every attempt what may be done with the request.
func Example() {
	send := func(r *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {"2"}}, Body: http.NoBody}
		return resp, nil
	}
	request, err := http.NewRequest("POST", "https://api.example/charges", strings.NewReader(`{"amount":100}`))
	if err != nil {
		fmt.Println(err)
		return
	}

	var failure classifier.Failure
	resp, err := send(request)
	if err != nil {
		failure = classifier.FromError(err, classifier.Evidence{})
	} else {
		failure = classifier.FromResponse(classifier.Response{Status: resp.StatusCode, Header: resp.Header, Received: time.Now()})
	}
	decision := classifier.Decide(failure, classifier.RequestOf(request, false), classifier.Policy{})

	switch decision.Verdict {
	case classifier.Done:
		fmt.Println("use the response")
	case classifier.Retry:
		fmt.Println("send it again, not before", decision.Wait, "have passed:", decision.Reason.Sentence())
	case classifier.RetryModified:
		fmt.Println("change", decision.Modify, "and send it once more")
	case classifier.Ambiguous:
		fmt.Println("find out whether it worked before anything else")
	case classifier.Fail, classifier.Stop:
		fmt.Println("give up:", decision.Reason.Sentence())
	}
	// Output:
	// send it again, not before 2s have passed: the server refused the work for now and said how long to wait
}

// The same errno means one thing while connecting and another afterwards, and
// the same failure means one thing for a GET and another for a POST.
func ExampleDecide() {
	get := classifier.Request{Method: "GET", BodyReplayable: true}
	post := classifier.Request{Method: "POST", BodyReplayable: true}
	for _, call := range []classifier.Syscall{classifier.Connect, classifier.Read} {
		failure, err := classifier.FromNames("ECONNREFUSED", call, "")
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, request := range []classifier.Request{get, post} {
			decision := classifier.Decide(failure, request, classifier.Policy{})
			fmt.Println(failure.Code, failure.Syscall, failure.Processed, request.Method, decision.Verdict, decision.Reason)
		}
	}
	// Output:
	// ECONNREFUSED connect never GET retry not-sent
	// ECONNREFUSED connect never POST retry not-sent
	// ECONNREFUSED read maybe GET retry idempotent-method
	// ECONNREFUSED read maybe POST ambiguous may-have-been-processed
}

// Without a trace an error that came through a http.Client is judged with its
// request: net/http may have sent a keyed POST before and failed to do it
// again, which it never does with a bare one.
func ExampleFromError() {
	err := &url.Error{Op: "Post", URL: "http://api.example/charges", Err: syscall.ECONNRESET}
	fmt.Println(classifier.FromError(err, classifier.Evidence{}).Processed)

	nothingSent := classifier.Evidence{Traced: true, Acquisitions: 1, GotConn: true, Counted: true, BytesOut: 0}
	fmt.Println(classifier.FromError(err, nothingSent).Processed)
	// Output:
	// maybe
	// never
}

// Where a log has only names, they are enough for the same question.
func ExampleFromNames() {
	failure, err := classifier.FromNames("ECONNRESET", "read", "await")
	fmt.Println(failure.Processed, failure.Basis, err)
	_, err = classifier.FromNames("ECONNRESET", "read", "connect")
	fmt.Println(err)
	// Output:
	// maybe assumed <nil>
	// syscall "read" does not fail in phase "connect"
}
