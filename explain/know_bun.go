package explain

// bunTable is Bun's fetch.
var bunTable = Table{
	Runtime: "bun", Title: "Bun fetch", SaidBy: ByClient,
	Retries: "Bun sends a request again by itself where a kept-alive connection was closed",
	Marks:   []string{"pass `verbose: true`|bun:*|Bun *"},
	Entries: []Entry{
		{ID: "bun/closed",
			Match: []string{"The socket connection was closed unexpectedly|ConnectionClosed"},
			Code:  "EOF", Phase: "unknown", Source: "bun src/http.zig",
			Why:  "Bun prints the same line for a close at the TLS level and for one after the request was sent",
			Open: "how far the request had come", Settle: "fetch with verbose: true",
			Example: "ConnectionClosed: The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch()"},
		{ID: "bun/refused",
			Match: []string{"Unable to connect. Is the computer able to access the url?|ConnectionRefused|FailedToOpenSocket|Was there a typo in the url or port?"},
			Code:  "ECONNREFUSED", Syscall: "connect", Phase: "connect", Source: "bun src/http.zig",
			Why:     "no connection was made: nothing was sent",
			Example: "ConnectionRefused: Unable to connect. Is the computer able to access the url?"},
		{ID: "bun/timeout", Rank: rankTimer,
			Match: []string{"TimeoutError: The operation timed out"},
			Code:  "TIMEOUT", Phase: "unknown", Source: "bun AbortSignal.timeout",
			Why:     "a timer of the whole call",
			Example: "TimeoutError: The operation timed out."},
		{ID: "bun/malformed",
			Match: []string{"Malformed_HTTP_Response"},
			Code:  "MALFORMED", Phase: "read-head", Source: "bun src/http.zig",
			Why:     "what came back is not HTTP",
			Example: "Malformed_HTTP_Response fetching \"http://host.example/\""},
	},
}
