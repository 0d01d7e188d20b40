package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// statusGroup is what each answer means. Source: semantics of RFC 9110 section
// 15 and the registered extensions; the server answers, the client judges.
func statusGroup() Group {
	return Group{
		ID: "status", Title: "answers: which status may be sent again",
		Source:  "RFC 9110 section 15; RFC 6585; RFC 8470; RFC 4918",
		Columns: columns("code", "retry_after", "get", "post", "post_key", "processed", "basis", "saw", "reason"),
		Rows:    rows(statusCases()...),
	}
}

func statusCases() []*Case {
	return []*Case{
		answersDone("200", 200, "RFC 9110 section 15.3.1", "success: nothing to send again"),
		answers("400", 400, "RFC 9110 section 15.5.1", "the request is malformed and stays so"),
		answers("401", 401, "RFC 9110 section 15.5.2", "refresh the credential: that is a new call"),
		answers("403", 403, "RFC 9110 section 15.5.4", "refused, whoever asks again"),
		answers("404", 404, "RFC 9110 section 15.5.5", "not there"),
		answers("408", 408, "RFC 9110 section 15.5.9", "the server never got a complete request"),
		answers("422", 422, "RFC 9110 section 15.5.21", "understood and refused"),
		answers("425", 425, "RFC 8470 section 5.2", "refused because it might be a replay"),
		answers("429", 429, "RFC 6585 section 4", "too many requests, and when to come back", "Retry-After", "1"),
		answersDone("500", 500, "RFC 9110 section 15.6.1", "something broke, nobody says where"),
		answersDone("502", 502, "RFC 9110 section 15.6.3", "the gateway got no valid answer"),
		answers("503", 503, "RFC 9110 section 15.6.4", "unavailable, and when to come back", "Retry-After", "1"),
		answersDone("504", 504, "RFC 9110 section 15.6.5", "the gateway stopped waiting, the origin may not have"),

		// The rows that most code gets wrong.
		answers("409", 409, "draft-ietf-httpapi-idempotency-key-header section 2.6", "with a key: the first is still running"),
		answers("413", 413, "RFC 9110 section 15.5.14", "too large, for good"),
		answers("413-wait", 413, "RFC 9110 section 15.5.14", "too large for now", "Retry-After", "1"),
		answers("417", 417, "RFC 9110 section 10.1.1", "once more, without Expect"),
		answers("421", 421, "RFC 9110 section 15.5.20", "once more, on another connection"),
		answers("501", 501, "RFC 9110 section 15.6.2", "a 5xx that no retry will change"),
		answers("505", 505, "RFC 9110 section 15.6.6", "a 5xx that no retry will change"),
		answers("507", 507, "RFC 4918 section 11.5", "must not be repeated until a user asks"),
		answers("511", 511, "RFC 6585 section 6", "a captive portal, not the origin"),
		answers("529", 529, "unregistered: overloaded", "overloaded, the work not begun"),
		answersDone("408-gateway", 408, "Envoy: max_stream_duration ends in 408", "a gateway cannot speak for the origin", "Via", "1.1 lab-gateway"),
		answersDone("503-gateway", 503, "Envoy, Heroku: 503 after the request was passed on", "a gateway cannot speak for the origin", "Via", "1.1 lab-gateway"),
	}
}

// answers is a case whose server refuses the work with one answer; header is
// names and values in turn.
func answers(id string, status int, source, title string, header ...string) *Case {
	return statusCase(id, status, source, title, servers.NewStatus, header)
}

// answersDone is a case whose server does the work before it answers: the worst that
// can stand behind such an answer.
func answersDone(id string, status int, source, title string, header ...string) *Case {
	return statusCase(id, status, source, title, servers.NewCommitted, header)
}

type newServer func(servers.Options, int, func(time.Time) http.Header) (*servers.Server, error)

func statusCase(id string, status int, source, title string, start newServer, header []string) *Case {
	terms := Terms{}
	if slices.Contains(header, "Retry-After") {
		terms.Asks = time.Second
	}
	return &Case{
		ID: "status/" + id, Title: title, Source: source, ByEngine: terms,
		Run: func(ctx context.Context, e *Env) (Run, error) {
			srv, err := start(servers.Options{}, status, servers.Header(header...))
			if err != nil {
				return Run{}, fmt.Errorf("start server: %w", err)
			}
			defer srv.Close()
			c := newClient(e, nil)
			defer c.close()
			_, ans, err := c.send(ctx, srv.URL(), call{})
			if err != nil {
				return Run{}, err
			}
			c.close()
			return finish(e, srv, Run{
				Attempts: c.attempts,
				Cells:    map[string]string{"retry_after": ans.Header.Get("Retry-After")},
			})
		},
	}
}
