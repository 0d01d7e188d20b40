package scenarios

import (
	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// columns looks up columns by name. A name that is not in allColumns is free
// text.
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

// allColumns are the columns with a closed vocabulary or a number.
func allColumns() []Column {
	answer := []string{"yes", "no", "modified"}
	return []Column{
		{Name: "code", Words: texts(classifier.Codes())},
		{Name: "syscall", Words: append(texts(classifier.Syscalls()), "")},
		{Name: "phase", Words: texts(classifier.Phases())},
		{Name: "processed", Words: []string{"never", "maybe", "yes"}},
		{Name: "basis", Words: []string{"guaranteed", "claimed", "assumed"}},
		{Name: "saw", Words: servers.SawWords()},
		{Name: "get", Words: answer},
		{Name: "post", Words: answer},
		{Name: "post_key", Words: answer},
		{Name: "reason", Words: texts(classifier.Reasons())},
		{Name: "deliveries", Numeric: true},
		{Name: "replays", Numeric: true},
		{Name: "charges", Numeric: true},
		{Name: "requests", Numeric: true},
		{Name: "published", Numeric: true},
		{Name: "is_canceled", Words: []string{"yes", "no"}},
		{Name: "elapsed_ms", Numeric: true, Words: []string{""}}, // empty: nothing was slept through
	}
}

func texts[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}
