package control

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/servers"
)

// everyAnswer asks for all that the API can say.
func everyAnswer(t *testing.T, see func(method, path string, a asked)) {
	t.Helper()
	a := newTestAPI(t, servers.OriginOptions{MaxCalls: 2})
	ask := func(method, path, body string, header ...string) asked {
		got := a.ask(method, path, body, header...)
		see(method, path, got)
		return got
	}
	full := ask("POST", "/calls", `{"id":"full","ignore_keys":true,"steps":["503",
		{"fault":"slow","delay_ms":1,"pace_ms":0.1,"header":{"A":"b"},"body":"{token}","commit":"before"}]}`)
	call := decode[record](t, full)
	deliver(t, "GET", call.WarmURL)
	deliver(t, "POST", call.URL, servers.KeyHeader, "k", servers.AttemptHeader, "1")
	deliver(t, "POST", call.URL, servers.KeyHeader, "k", servers.AttemptHeader, "1")
	deliver(t, "POST", a.reset.URL())
	a.ask("POST", "/calls", `{"id":"other","steps":["silent"]}`)

	ask("POST", "/calls", `["nope"]`)
	ask("POST", "/calls", `{"id":"full","steps":["503"]}`)
	ask("GET", "/calls", "")
	ask("GET", "/calls/full?wait=2&timeout_ms=1000", "")
	ask("GET", "/calls/other?wait=1&timeout_ms=1", "")
	ask("GET", "/calls/full?wait=0", "")
	ask("GET", "/calls/nope", "")
	for range cap(a.waits) {
		a.waits <- struct{}{}
	}
	ask("GET", "/calls/full?wait=9", "")
	ask("DELETE", "/calls/nope", "")
	ask("DELETE", "/calls/full", "")
	a.ask("POST", "/calls", `["silent"]`)
	ask("POST", "/calls", `["503"]`) // one too many
	for _, path := range []string{"/faults", "/ports", "/ports/unavailable", "/ports/nope", "/metrics", "/openapi.json"} {
		ask("GET", path, "")
	}
	for _, path := range []string{"/calls", "/calls/other", "/faults", "/ports", "/ports/refused", "/metrics", "/openapi.json"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			ask(method, path, "", "Host", "evil.example")
			ask(method, path, "", "Sec-Fetch-Site", "cross-site")
		}
		ask("PUT", path, "")
	}
}

// operation finds what openapi.json says of a method and a path. A method that
// the path does not have is refused for all of them in one way.
func operation(d *description, method, path string) (responses map[string]any, where string) {
	path, _, _ = strings.Cut(path, "?")
	paths, _ := d.at("paths")
	for template := range paths {
		if _, ok := (route{path: template}).match(path); !ok {
			continue
		}
		if r, ok := d.at("paths", template, strings.ToLower(method), "responses"); ok {
			return r, strings.ToLower(method) + " " + template
		}
		for _, name := range []string{"get", "post", "delete"} {
			if r, ok := d.at("paths", template, name, "responses"); ok {
				return r, name + " " + template
			}
		}
	}
	return nil, ""
}

func TestEveryAnswerIsDescribed(t *testing.T) {
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[string]bool{}
	everyAnswer(t, func(method, path string, a asked) {
		what := method + " " + path + ": " + strconv.Itoa(a.status)
		responses, where := operation(d, method, path)
		res, ok := responses[strconv.Itoa(a.status)].(map[string]any)
		if !ok {
			t.Errorf("%s is not described: %s", what, a.body)
			return
		}
		statuses[where+" "+strconv.Itoa(a.status)] = true
		res, _, err := d.deref(res, where)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		for name := range asMap(res["headers"]) {
			if a.header.Get(name) == "" {
				t.Errorf("%s has no field %s", what, name)
			}
		}
		checkBody(t, d, what, asMap(res["content"]), a)
	})
	unused(t, d, statuses)
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func checkBody(t *testing.T, d *description, what string, content map[string]any, a asked) {
	t.Helper()
	kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	media := asMap(content[kind])
	switch {
	case content == nil && a.body == "":
	case media == nil:
		t.Errorf("%s: content type %q is not described", what, kind)
	case kind == "application/json":
		var v any
		if err := json.Unmarshal([]byte(a.body), &v); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if err := d.check(asMap(media["schema"]), v, "answer"); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// unused lists what openapi.json describes and no answer had.
func unused(t *testing.T, d *description, statuses map[string]bool) {
	t.Helper()
	paths, _ := d.at("paths")
	for path, of := range paths {
		for method, op := range asMap(of) {
			if method == "parameters" {
				continue
			}
			for status := range asMap(asMap(op)["responses"]) {
				name := method + " " + path + " " + status
				if !statuses[name] && status != "405" || status == "405" && !refused(statuses, path) {
					t.Errorf("%s is described, and was not answered", name)
				}
			}
		}
	}
	schemas, _ := d.at("components", "schemas")
	for name, s := range schemas {
		for p := range asMap(asMap(s)["properties"]) {
			if at := "#/components/schemas/" + name + "/" + p; !d.used[at] {
				t.Errorf("%s is described, and was in no answer", at)
			}
		}
	}
}

// refused: some method of the path was.
func refused(statuses map[string]bool, path string) bool {
	return statuses["get "+path+" 405"] || statuses["post "+path+" 405"] || statuses["delete "+path+" 405"]
}

// What a script may say is what openapi.json says of it, by the bounds of the
// parser.
func TestScriptsAreDescribed(t *testing.T) {
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	schema, ok := d.at("paths", "/calls", "post", "requestBody", "content", "application/json", "schema")
	if !ok {
		t.Fatal("no schema of a script")
	}
	for _, script := range []string{
		`["503"]`, `{"steps":["503","reset"]}`, `{"id":"a.b","steps":[{"fault":"200","commit":"after"}]}`,
		`{"steps":[{"fault":"503","delay_ms":600000}]}`, `{"steps":[{"fault":"503","delay_ms":600001}]}`,
		`{"id":"/","steps":["503"]}`, `{"steps":["503"],"more":1}`, `{"steps":[{"fault":"503","commit":"now"}]}`, `{"steps":[{"delay_ms":1}]}`, `[1]`, `{}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(script), &v); err != nil {
			t.Fatal(err)
		}
		_, parsed := servers.ParseScript(strings.NewReader(script))
		if checked := d.check(schema, v, "script"); (checked == nil) != (parsed == nil) {
			t.Errorf("%s: the description says %v, the parser %v", script, checked, parsed)
		}
	}
}

func TestEveryRouteIsDescribedAndNoOther(t *testing.T) {
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	var there, said []string
	for _, r := range newTestAPI(t, servers.OriginOptions{}).routes {
		for _, m := range r.methods {
			there = append(there, m.name+" "+r.path)
		}
	}
	paths, _ := d.at("paths")
	for path, of := range paths {
		for method := range asMap(of) {
			if method != "parameters" {
				said = append(said, strings.ToUpper(method)+" "+path)
			}
		}
	}
	if slices.Sort(there); !slices.Equal(there, slices.Sorted(slices.Values(said))) {
		t.Errorf("routes %q, described %q", there, said)
	}
}

// The parameters of GET /calls/{id} are those that a request may have.
func TestEveryParameterIsDescribed(t *testing.T) {
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	a := newTestAPI(t, servers.OriginOptions{})
	op, _ := d.at("paths", "/calls/{id}", "get")
	list, _ := op["parameters"].([]any)
	described := map[string]bool{}
	for _, p := range list {
		name, most := asMap(p)["name"].(string), asMap(asMap(p)["schema"])["maximum"].(float64)
		described[name] = true
		for value, good := range map[float64]bool{0: false, 1: true, most: true, most + 1: false} {
			if _, bad := a.wish(name + "=" + strconv.FormatFloat(value, 'f', -1, 64)); (bad == nil) != good {
				t.Errorf("%s=%v: %v", name, value, bad)
			}
		}
	}
	if names := slices.Sorted(maps.Keys(described)); !slices.Equal(names, []string{"quiet_ms", "timeout_ms", "wait"}) {
		t.Errorf("described: %q", names)
	}
}

// The description itself is what the API serves.
func TestTheDescriptionIsServed(t *testing.T) {
	got := newTestAPI(t, servers.OriginOptions{}).ask(http.MethodGet, "/openapi.json", "")
	if got.body != string(OpenAPI()) || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%.100s", got.body)
	}
}
