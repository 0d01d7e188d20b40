package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/PuerkitoBio/rehttp"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/retry-lab/retry-lab/retry"
)

// A client sends one request and reads its answer. A nil payload is a GET, any
// other is PUT.
type client struct {
	name string
	send func(url string, payload []byte) error
}

// clients are all of them over the same base, bare net/http first; each allows
// three attempts.
func clients(base http.RoundTripper) []client {
	return []client{
		{"net/http, bare", over(base)},
		{"retry", over(&retry.Transport{Base: base})},
		{"go-retryablehttp", overRetryable(base)},
		{"failsafehttp", over(failsafehttp.NewRoundTripper(base, failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(3).Build()))},
		{"rehttp", over(rehttp.NewTransport(base, rehttp.RetryAll(
			rehttp.RetryMaxRetries(2), rehttp.RetryAny(rehttp.RetryTemporaryErr(), rehttp.RetryStatuses(502, 503, 504)),
		), rehttp.ExpJitterDelay(time.Second, 30*time.Second)))},
		{"resty", overResty(base)},
	}
}

// over is a http.Client with that transport.
func over(rt http.RoundTripper) func(string, []byte) error {
	c := &http.Client{Transport: rt}
	return func(url string, payload []byte) error {
		var r *http.Request
		var err error
		if payload == nil {
			r, err = http.NewRequest(http.MethodGet, url, nil)
		} else {
			r, err = http.NewRequest(http.MethodPut, url, bytes.NewReader(payload))
		}
		if err != nil {
			return err
		}
		return finish(c.Do(r))
	}
}

// overRetryable is go-retryablehttp by its own interface, without its log.
func overRetryable(rt http.RoundTripper) func(string, []byte) error {
	c := retryablehttp.NewClient()
	c.HTTPClient, c.Logger, c.RetryMax = &http.Client{Transport: rt}, nil, 2
	return func(url string, payload []byte) error {
		var r *retryablehttp.Request
		var err error
		if payload == nil {
			r, err = retryablehttp.NewRequest(http.MethodGet, url, nil)
		} else {
			r, err = retryablehttp.NewRequest(http.MethodPut, url, bytes.NewReader(payload))
		}
		if err != nil {
			return err
		}
		return finish(c.Do(r))
	}
}

// overResty is resty by its own interface, the body left to us to read.
func overResty(rt http.RoundTripper) func(string, []byte) error {
	c := resty.New().SetTransport(rt).SetRetryCount(2).SetDoNotParseResponse(true)
	return func(url string, payload []byte) error {
		var resp *resty.Response
		var err error
		if payload == nil {
			resp, err = c.R().Get(url)
		} else {
			resp, err = c.R().SetBody(payload).Put(url)
		}
		if err != nil {
			return err
		}
		return finish(resp.RawResponse, nil)
	}
}

// finish reads an answer to its end.
func finish(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s", resp.Status)
	}
	return nil
}
