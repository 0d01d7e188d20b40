// The tests of this folder run every adapter against servers whose ledgers say
// what it really sent. An adapter whose runtime is not installed is skipped.
package clients_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// patience ends a test that hangs. Nothing depends on being faster.
const patience = 2 * time.Minute

// An adapter is a client to be audited, and what is known of it.
type adapter struct {
	name    string
	command func(*testing.T) []string // or skips the test

	retries    bool // a 503 is tried again
	resets     bool // a keyed POST is, after a reset
	fresh      bool // every request has a connection of its own
	persistent bool // it has that mode
	chatty     bool // it prints what it has of a broken answer, and a line for every failed attempt
}

var adapters = []adapter{
	{name: "curl", command: script("sh", "curl", "curl/curl.sh"), retries: true, chatty: true},
	{name: "nethttp", command: built("nethttp"), persistent: true},
	{name: "engine", command: built("engine"), retries: true, resets: true, persistent: true},
	{name: "retryablehttp", command: built("retryablehttp"), retries: true, resets: true, persistent: true},
	{name: "node", command: script("node", "node", "node/fetch.mjs"), persistent: true},
	{name: "python", command: script("python3", "python3", "python/urllib_client.py"), retries: true, resets: true, fresh: true, persistent: true},
	{name: "README", command: readme, fresh: true},
	{name: "python-no-retry", command: script("python3", "python3", "python/urllib_client.py", "--no-retry"), fresh: true, persistent: true},
}

// script is an adapter that an interpreter runs, where it and the program it
// needs are installed.
func script(interpreter, needs string, args ...string) func(*testing.T) []string {
	return func(t *testing.T) []string {
		if interpreter == "sh" && runtime.GOOS == "windows" {
			t.Skip("a script for sh(1)")
		}
		for _, program := range []string{interpreter, needs} {
			if _, err := exec.LookPath(program); err != nil {
				missing(t, fmt.Sprintf("%s is not installed: %v", program, err))
			}
		}
		return append([]string{interpreter}, args...)
	}
}

// missing skips where a user's machine lacks something. In CI, which installs
// all that is needed (scripts/install-deps), it is a failure.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// built is an adapter in Go. One that is a module of its own needs others.
func built(name string) func(*testing.T) []string {
	return func(t *testing.T) []string {
		if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
			download := exec.CommandContext(t.Context(), "go", "mod", "download")
			download.Dir = name
			if out, err := download.CombinedOutput(); err != nil {
				missing(t, fmt.Sprintf("its modules are not to be had: %v: %s", err, out))
			}
		}
		program := filepath.Join(t.TempDir(), name+".exe")
		build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
		build.Dir = name
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build, err, out)
		}
		return []string{program}
	}
}

// readme is the adapter that the README shows.
func readme(t *testing.T) []string {
	command := script("python3", "python3")(t)
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```python\n")
	program, _, found := strings.Cut(after, "```\n")
	if !found {
		t.Fatal("README.md has no adapter in Python")
	}
	file := filepath.Join(t.TempDir(), "own.py")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	return append(command, file)
}

// A scene is an order and how the server meets it.
type scene struct {
	name  string
	order order
	body  int // bytes
	warm  bool
	steps []string
	// fails: every client must; else those that do not try again, if there is
	// more than one step.
	fails bool
	// brief: played also by processes of their own where there is a persistent
	// mode, to which the two are the same but for how they are asked.
	brief bool
}

var scenes = []scene{
	{name: "get", order: order{Method: "GET"}, steps: []string{"200"}},
	{name: "bare post", order: order{Method: "POST", ContentType: "text/plain"}, body: 12, steps: []string{"200"}},
	{name: "empty post", order: order{Method: "POST", Key: "order-5150"}, steps: []string{"200"}},
	{name: "keyed post", order: order{Method: "POST", Key: "order-5150", DeadlineMS: 100_000}, body: 12, steps: []string{"200"}, brief: true},
	{name: "put of 1 MiB", order: order{Method: "PUT"}, body: 1 << 20, steps: []string{"200"}},
	{name: "delete", order: order{Method: "DELETE"}, steps: []string{"200"}},
	{name: "streamed put", order: order{Method: "PUT", Body: "stream"}, body: 100_000, steps: []string{"200"}, brief: true},
	{name: "streamed post", order: order{Method: "POST", Body: "stream", Key: "order-5150"}, body: 12, steps: []string{"200"}},
	{name: "503 then 200", order: order{Method: "POST", Key: "order-5150"}, body: 12, steps: []string{"503", "200"}, brief: true},
	{name: "reset then 200", order: order{Method: "POST", Key: "order-5150"}, body: 12, steps: []string{"reset", "200"}},
	{name: "404", order: order{Method: "GET"}, steps: []string{"404"}, fails: true, brief: true},
	{name: "reset", order: order{Method: "GET"}, steps: []string{"reset"}, fails: true},
	{name: "truncated", order: order{Method: "POST"}, body: 12, steps: []string{"truncated"}, fails: true},
	{name: "timeout", order: order{Method: "POST", TimeoutMS: 2500}, body: 12, steps: []string{"silent"}, fails: true, brief: true},
	{name: "kept connection", order: order{Method: "POST"}, body: 12, warm: true, steps: []string{"200"}, brief: true},
}

func TestAdaptersSendWhatIsAskedAndReportHowItEnded(t *testing.T) {
	for _, a := range adapters {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			command := a.command(t)
			t.Run("once", func(t *testing.T) {
				for _, s := range scenes {
					if a.persistent && !s.brief {
						continue
					}
					t.Run(s.name, func(t *testing.T) {
						s.play(t, a, func(o order) answer { return runOnce(t, command, o) })
					})
				}
			})
			if !a.persistent {
				return
			}
			t.Run("persistent", func(t *testing.T) {
				one := open(t, command, "")
				for _, s := range scenes {
					t.Run(s.name, func(t *testing.T) {
						s.play(t, a, func(o order) answer { return one.ask(t, o) })
					})
				}
			})
		})
	}
}

// play has a client carry out the order, and holds its answer against the
// server's ledger.
func (s scene) play(t *testing.T, a adapter, ask func(order) answer) {
	data := bytes.Repeat([]byte{'x'}, s.body)
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	origin := servers.NewOrigin(t)
	call := origin.Call(s.steps...)
	o := s.order
	o.URL, o.BodyFile, o.Case, o.BaseMS = call.URL(), file, s.name, 1
	if o.Body == "" {
		o.Body = "file"
	}
	if o.TimeoutMS == 0 {
		o.TimeoutMS = 60_000
	}
	if !s.fails {
		o.Retries = 2
	}
	if s.warm {
		o.WarmURL = call.WarmURL()
	}
	got := ask(o)
	origin.Close() // joins every delivery; an error is that of the cleanup
	record := call.Record()

	deliveries := len(s.steps)
	ok := !s.fails
	if again := map[string]bool{"503": a.retries, "reset": a.resets}; deliveries > 1 && !again[s.steps[0]] {
		deliveries, ok = 1, false
	}
	if record.Deliveries != deliveries || record.Dropped > 0 {
		t.Fatalf("%d deliveries, want %d: %+v", record.Deliveries, deliveries, record.Ledger)
	}
	asked := record.Ledger[record.WarmUps:]
	s.checkAnswer(t, a, got, ok, asked[deliveries-1].Token)
	sum := sha256.Sum256(data)
	for _, d := range asked {
		if d.Method != o.Method || d.Key != o.Key || !d.Complete || d.BodyBytes != int64(s.body) ||
			s.body > 0 && d.BodySHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("delivered %+v, want %s, key %q, %d bytes, SHA-256 %x", d, o.Method, o.Key, s.body, sum)
		}
	}
	if s.warm {
		checkWarm(t, a, record)
	}
}

func (s scene) checkAnswer(t *testing.T, a adapter, got answer, ok bool, token string) {
	t.Helper()
	if got.OK != ok {
		t.Errorf("success %v, want %v: %+v", got.OK, ok, got)
	}
	if whole := strings.HasSuffix(got.Body, token+"\"}\n"); ok && !whole || !ok && got.Body != "" && !a.chatty {
		t.Errorf("printed %q, want what has token %s if it succeeded, else nothing", got.Body, token)
	}
	lines := strings.Count(strings.TrimSuffix(got.Error, "\n"), "\n")
	if ok && got.Error != "" && !a.chatty || !ok && got.Error == "" || lines > 0 {
		t.Errorf("said %q, want one line if it failed and none if it did not", got.Error)
	}
}

// checkWarm wants the order on the connection that was made ready, after it had
// been idle for a while.
func checkWarm(t *testing.T, a adapter, r servers.CallRecord) {
	t.Helper()
	if r.WarmUps != 1 || len(r.Ledger) != 2 || !r.Ledger[0].Warm {
		t.Fatalf("deliveries %+v, want a warm-up and then the order", r.Ledger)
	}
	warm, d := r.Ledger[0], r.Ledger[1]
	if d.Reused == a.fresh {
		t.Errorf("on a connection that had been used: %v, want %v", d.Reused, !a.fresh)
	}
	if idle := d.At.Sub(warm.At); idle < 60*time.Millisecond {
		t.Errorf("sent %v after the warm-up, want 60ms or more", idle)
	}
}

func TestAdaptersTrustTheAuthorityOfTheCase(t *testing.T) {
	authority, err := servers.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := authority.Issue(servers.CertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	selfSigned, err := authority.Issue(servers.CertOptions{SelfSigned: true})
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, authority.PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none")
	if err := os.WriteFile(none, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, a := range adapters {
		if a.name == "README" {
			continue // it has the audit's SSL_CERT_FILE say that
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			command := a.command(t)
			serve := func(c tls.Certificate) *servers.Server {
				o := servers.Options{TLS: &tls.Config{Certificates: []tls.Certificate{c}}}
				return servers.Must[*servers.Server](t)(servers.NewStatus(o, http.StatusOK, nil))
			}
			srv := serve(certificate)
			ask := order{URL: srv.URL(), Method: "GET", BodyFile: none, Body: "file", TimeoutMS: 60_000}
			if got := runOnce(t, command, ask); got.OK {
				t.Error("trusted an authority that nobody told it to")
			}
			ask.CAFile, ask.URL = ca, serve(selfSigned).URL()
			if got := runOnce(t, command, ask); got.OK {
				t.Error("trusted a server that the authority does not vouch for")
			}
			ask.URL = srv.URL()
			if got := runOnce(t, command, ask); !got.OK {
				t.Errorf("once: %s", got.Error)
			}
			if a.persistent {
				if got := open(t, command, ca).ask(t, ask); !got.OK {
					t.Errorf("persistent: %s", got.Error)
				}
			}
			if asked := srv.Finish(time.Now()).Asked(); len(asked) == 0 {
				t.Error("nothing was delivered")
			}
		})
	}
}

// A client follows a redirect as it does by default: after a 303 with a GET,
// after a 307 with the same request, but for urllib, which leaves that alone.
func TestAdaptersFollowRedirects(t *testing.T) {
	for _, a := range adapters {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			command := a.command(t)
			for _, r := range []struct {
				status int
				method string
				bytes  int64
				follow bool
			}{{http.StatusSeeOther, "GET", 0, true}, {http.StatusTemporaryRedirect, "POST", 12, !a.fresh}} {
				origin := servers.NewOrigin(t)
				to := origin.Call("200")
				from := servers.Must[*servers.Server](t)(servers.NewRedirect(servers.RedirectOptions{Status: r.status, To: to.URL()}))
				body := filepath.Join(t.TempDir(), "body")
				if err := os.WriteFile(body, []byte("twelve bytes"), 0o600); err != nil {
					t.Fatal(err)
				}
				got := runOnce(t, command, order{URL: from.URL() + "/pay", Method: "POST", BodyFile: body, Body: "file", TimeoutMS: 60_000})
				if got.OK != r.follow {
					t.Errorf("%d: success %v, want %v: %s", r.status, got.OK, r.follow, got.Error)
				}
				origin.Close() // an error is that of the cleanup
				there := to.Record().Ledger
				if len(there) != 0 != r.follow || r.follow && (there[0].Method != r.method || there[0].BodyBytes != r.bytes) {
					t.Errorf("%d: delivered %+v, want %s of %d bytes: %v", r.status, there, r.method, r.bytes, r.follow)
				}
			}
		})
	}
}

func TestAdaptersSayWhatTheyAre(t *testing.T) {
	for _, a := range adapters {
		if a.name == "README" {
			continue // it is somebody's own
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			command := a.command(t)
			out, err := exec.CommandContext(t.Context(), command[0], append(command[1:len(command):len(command)], "--version")...).Output()
			if lines := strings.Count(string(out), "\n"); err != nil || lines != 1 || !strings.Contains(string(out), "; ") {
				t.Errorf("--version printed %q, %v; want one line: version; configuration", out, err)
			}
		})
	}
}
