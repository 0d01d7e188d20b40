package classifier_test

import (
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

func TestRequestOfTakesWhatAVerdictNeeds(t *testing.T) {
	stream := io.MultiReader(strings.NewReader("x"))
	for _, row := range []struct {
		method   string
		body     io.Reader
		key      string
		honoured bool
		want     classifier.Request
		why      string
	}{
		{"GET", nil, "", false, classifier.Request{Method: "GET", BodyReplayable: true}, "no body is replayable"},
		{"POST", http.NoBody, "", false, classifier.Request{Method: "POST", BodyReplayable: true}, "no body is replayable"},
		{"POST", strings.NewReader("x"), "", false, classifier.Request{Method: "POST", BodyReplayable: true}, "net/http can make it again"},
		{"POST", stream, "", false, classifier.Request{Method: "POST"}, "nobody can make it again"},
		{"POST", nil, "Idempotency-Key", true, classifier.Request{Method: "POST", Key: true, KeyHonoured: true, BodyReplayable: true}, "keyed"},
		{"POST", nil, "X-Idempotency-Key", true, classifier.Request{Method: "POST", Key: true, KeyHonoured: true, BodyReplayable: true}, "keyed, the other name"},
		{"POST", nil, "Idempotency-Key", false, classifier.Request{Method: "POST", Key: true, BodyReplayable: true}, "keyed, for a server that may ignore it"},
		{"POST", nil, "", true, classifier.Request{Method: "POST", BodyReplayable: true}, "there is no key to honour"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), row.method, target, row.body)
		if err != nil {
			t.Fatal(err)
		}
		if row.key != "" {
			r.Header.Set(row.key, "8e03978e")
		}
		if got := classifier.RequestOf(r, row.honoured); !reflect.DeepEqual(got, row.want) {
			t.Errorf("RequestOf(%s, body %T, key %q, %t) = %+v, want %+v: %s", row.method, row.body, row.key, row.honoured, got, row.want, row.why)
		}
	}
}
