package explain_test

import (
	"testing"

	"github.com/retry-lab/retry-lab/explain"
)

func TestLinesOfSourceNameNoFailure(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"if (err.code === 'ECONNRESET') { retry(); }", "UNKNOWN"},
		{"    except requests.exceptions.ConnectTimeout as e:", "UNKNOWN"},
		{"case errors.Is(err, syscall.ECONNREFUSED):", "UNKNOWN"},
		{"const retryable = ['ECONNRESET', 'EPIPE'];", "UNKNOWN"},
		{"// connect ECONNREFUSED 127.0.0.1:80 is tried again", "UNKNOWN"},
		{"fix: no panic at connection reset by peer", "UNKNOWN"},
		{"case 7 failed: connect ECONNREFUSED 127.0.0.1:80", "ECONNREFUSED"},
		{"    throw new Error(cause);\n    ^\nError: connect ECONNREFUSED 127.0.0.1:80", "ECONNREFUSED"},
		{"var x failed: connect ECONNREFUSED 127.0.0.1:80", "ECONNREFUSED"},
	} {
		if op := explain.Text([]byte(c.text)).Operation; op == nil && c.want != "UNKNOWN" || op != nil && string(op.Code) != c.want {
			t.Errorf("Text(%q) = %+v, want %s", c.text, op, c.want)
		}
	}
}
