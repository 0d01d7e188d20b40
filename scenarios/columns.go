package scenarios

import (
	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// columns looks up columns by name.
func columns(names ...string) []Column {
	known := map[string]Column{}
	for _, c := range allColumns() {
		known[c.Name] = c
	}
	list := make([]Column, len(names))
	for i, name := range names {
		list[i] = known[name]
		list[i].Name = name
	}
	return list
}

// allColumns are the columns of the groups that run unless something else is
// asked for: with a closed vocabulary, numbers, and last free text.
func allColumns() []Column {
	answer := []string{"yes", "no", "modified"}
	return []Column{
		{Name: "code", Words: texts(classifier.Codes()), Meaning: "what went wrong: an errno, a resolver result, a status (HTTP_503), or one of the lab's own names for what has no errno"},
		{Name: "syscall", Words: append(texts(classifier.Syscalls()), ""), Meaning: "the call that failed; empty: none did"},
		{Name: "phase", Words: texts(classifier.Phases()), Meaning: "how far the request had come"},
		{Name: "processed", Words: []string{"never", "maybe", "yes"}, Meaning: "whether the server may have acted on the request"},
		{Name: "basis", Words: []string{"guaranteed", "claimed", "assumed"}, Meaning: "how sure that is: guaranteed (nothing was sent, or the protocol promises it), claimed (the server says so), assumed (neither)"},
		{Name: "saw", Words: servers.SawWords(), Meaning: "how much of the request reached the server at most, by its own ledger"},
		{Name: "get", Words: answer, Meaning: "whether the request may be sent again if it is a GET"},
		{Name: "post", Words: answer, Meaning: "whether it may be if it is a bare POST"},
		{Name: "post_key", Words: answer, Meaning: "whether it may be if it is a POST with a key that the server honours"},
		{Name: "reason", Words: texts(classifier.Reasons()), Meaning: "the rule that decided for the bare POST"},
		{Name: "deliveries", Numeric: true, Meaning: "how many requests reached the server"},
		{Name: "replays", Numeric: true, Meaning: "how many of them net/http sent again by itself"},
		{Name: "charges", Numeric: true, Meaning: "how often the work was done, by the server's ledger"},
		{Name: "requests", Numeric: true, Meaning: "how many requests the server got"},
		{Name: "published", Numeric: true, Meaning: "how many things were published, by the server's ledger; one was meant"},
		{Name: "is_canceled", Words: []string{"yes", "no"}, Meaning: "whether errors.Is(err, context.Canceled) holds"},
		{Name: "elapsed_ms", Numeric: true, Words: []string{""}, Meaning: "ms from the first request until one was let in; empty: nothing was slept through"},
		{Name: "wait_429", Meaning: "the wait in ms that the header means on a 429; none: it is ignored; stop: too long to sleep"},
		{Name: "wait_503", Meaning: "the same on a 503"},
		{Name: "retry_after", Meaning: "the header Retry-After of the answer"},
		{Name: "attempts", Meaning: "what each attempt of the client came to, in order"},
		{Name: "believes", Meaning: "what the client takes for true in the end"},
		{Name: "proxy_status", Meaning: "the header Proxy-Status of the answer"},
		{Name: "note", Meaning: "how much of the answer's body came"},
		{Name: "untraced", Meaning: "phase, processed and post as the error alone tells them, without a trace; refuted: the server's ledger proves it wrong"},
		{Name: "message", Meaning: "what the client would have logged"},
	}
}

func texts[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}
