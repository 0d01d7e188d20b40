// Command retryablehttp is hashicorp/go-retryablehttp, driven by retry-lab audit.
//
//	client   github.com/hashicorp/go-retryablehttp, by the version in go.mod
//	asks     Client.Do, once; its default policy makes RETRY_LAB_RETRIES + 1
//	         attempts
//	set      RetryMax, RetryWaitMin (RetryWaitMax too, if that was shorter);
//	         no log; the pool of its default client without proxies, and with
//	         the CA of the case; HTTPClient.Timeout is the time-out of an
//	         attempt, the context has the deadline
//	default  all else: its policy has no regard for the method or for keys, it
//	         backs off without jitter, and reads a streamed body into memory
//
// It is a module of its own, so that this dependency is not the lab's.
// retryablehttp makes the request of its environment, retryablehttp -persistent
// those of its standard input, retryablehttp -version says what it is.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// about is what -version prints.
func about() string {
	version := "of unknown version"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/hashicorp/go-retryablehttp" {
				version = m.Version
			}
		}
	}
	return "go-retryablehttp " + version + ", " + runtime.Version() + "; RETRY_LAB_RETRIES retries, its default policy; no proxies"
}

func main() {
	switch arg := append(os.Args, "")[1]; arg {
	case "":
		os.Exit(once())
	case "-persistent", "--persistent":
		os.Exit(persist(os.Stdin, os.Stdout))
	case "-version", "--version":
		fmt.Println(about())
	default:
		fmt.Fprintf(os.Stderr, "unknown argument %q: want -persistent, -version or none\n", arg)
		os.Exit(2)
	}
}

// An order is one logical request, as the audit states it. Times are in
// milliseconds; 0 is no limit.
type order struct {
	URL         string `json:"url"`
	Method      string `json:"method"`
	Key         string `json:"key"`       // empty: none
	BodyFile    string `json:"body_file"` // empty, or an empty file: no body
	Body        string `json:"body"`      // file: replayable; stream: read once
	ContentType string `json:"content_type"`
	TimeoutMS   int64  `json:"timeout_ms"` // of one attempt
	DeadlineMS  int64  `json:"deadline_ms"`
	WarmURL     string `json:"warm_url"` // to be read first, on the same connections
	CAFile      string `json:"ca_file"`
	Retries     int64  `json:"retries"` // after the first attempt
	BaseMS      int64  `json:"base_ms"` // of the backoff; 0: the client's own
}

// An answer is what became of it.
type answer struct {
	OK     bool   `json:"ok"` // a 2xx, read to its end
	Status int    `json:"status"`
	Body   string `json:"body"`
	Error  string `json:"error"`
}

// once makes the request of the environment.
func once() int {
	o := order{
		URL: os.Getenv("RETRY_LAB_URL"), Method: os.Getenv("RETRY_LAB_METHOD"), Key: os.Getenv("RETRY_LAB_KEY"),
		BodyFile: os.Getenv("RETRY_LAB_BODY_FILE"), Body: os.Getenv("RETRY_LAB_BODY"), ContentType: os.Getenv("RETRY_LAB_CONTENT_TYPE"),
		WarmURL: os.Getenv("RETRY_LAB_WARM_URL"), CAFile: os.Getenv("RETRY_LAB_CA_FILE"),
	}
	for name, to := range map[string]*int64{
		"RETRY_LAB_TIMEOUT_MS": &o.TimeoutMS, "RETRY_LAB_DEADLINE_MS": &o.DeadlineMS,
		"RETRY_LAB_RETRIES": &o.Retries, "RETRY_LAB_BASE_MS": &o.BaseMS,
	} {
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		var err error
		if *to, err = strconv.ParseInt(text, 10, 64); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			return 2
		}
	}
	a := o.carryOut()
	if !a.OK {
		fmt.Fprintln(os.Stderr, a.Error)
		return 1
	}
	fmt.Print(a.Body)
	return 0
}

// persist carries out one order a line until there are no more.
func persist(in io.Reader, out io.Writer) int {
	fmt.Fprintln(out, "READY")
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var o order
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			a.Error = err.Error()
		} else {
			a = o.carryOut()
		}
		if err := json.NewEncoder(out).Encode(a); err != nil {
			return 1
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// carryOut makes the request on connections of its own.
func (o order) carryOut() answer {
	client, err := o.client()
	if err != nil {
		return answer{Error: err.Error()}
	}
	defer client.HTTPClient.CloseIdleConnections()
	if o.WarmURL != "" {
		if _, _, err := finish(client.Get(o.WarmURL)); err != nil {
			return answer{Error: "warm-up: " + err.Error()}
		}
		<-time.After(60 * time.Millisecond)
	}
	ctx := context.Background()
	if o.DeadlineMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(o.DeadlineMS)*time.Millisecond)
		defer cancel()
	}
	r, err := o.request(ctx)
	if err != nil {
		return answer{Error: err.Error()}
	}
	status, body, err := finish(client.Do(r))
	if err != nil {
		return answer{Status: status, Error: err.Error()}
	}
	return answer{OK: true, Status: status, Body: string(body)}
}

// client is the one that is audited.
func (o order) client() (*retryablehttp.Client, error) {
	c := retryablehttp.NewClient()
	t := c.HTTPClient.Transport.(*http.Transport)
	t.Proxy = nil
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		if !t.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in it", o.CAFile)
		}
	}
	c.Logger = nil
	c.HTTPClient.Timeout = time.Duration(o.TimeoutMS) * time.Millisecond
	c.RetryMax = int(o.Retries)
	if o.BaseMS > 0 {
		c.RetryWaitMin = time.Duration(o.BaseMS) * time.Millisecond
		c.RetryWaitMax = max(c.RetryWaitMin, c.RetryWaitMax)
	}
	return c, nil
}

// request has a body that can be rewound, or one that can be read once.
func (o order) request(ctx context.Context) (*retryablehttp.Request, error) {
	var data []byte
	if o.BodyFile != "" {
		var err error
		if data, err = os.ReadFile(o.BodyFile); err != nil {
			return nil, err
		}
	}
	var body any // what it takes
	switch {
	case len(data) == 0: // none
	case o.Body == "stream":
		body = struct{ io.Reader }{bytes.NewReader(data)} // neither length nor GetBody
	default:
		body = bytes.NewReader(data)
	}
	r, err := retryablehttp.NewRequestWithContext(ctx, o.Method, o.URL, body)
	if err != nil {
		return nil, err
	}
	if o.ContentType != "" {
		r.Header.Set("Content-Type", o.ContentType)
	}
	if o.Key != "" {
		r.Header.Set("Idempotency-Key", o.Key)
	}
	return r, nil
}

// finish reads a response to its end. All but a complete 2xx is an error.
func finish(resp *http.Response, err error) (int, []byte, error) {
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, nil, fmt.Errorf("answered %d, then %w", resp.StatusCode, err)
	}
	if resp.StatusCode/100 != 2 {
		return resp.StatusCode, nil, fmt.Errorf("answered %d", resp.StatusCode)
	}
	return resp.StatusCode, body, nil
}
