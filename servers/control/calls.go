package control

import (
	"errors"
	"net"
	"net/http"
	"net/url"

	"github.com/retry-lab/retry-lab/servers"
)

// A record is a call as the API shows it.
type record struct {
	servers.CallRecord
	WarmURL  string `json:"warm_url"`
	TLSURL   string `json:"tls_url,omitempty"` // where the Origin speaks TLS too
	TimedOut bool   `json:"timed_out"`         // what the request waited for did not come
}

func (a *API) record(c *servers.Call, r *http.Request) record {
	rec := record{CallRecord: c.Record().Masked()}
	rec.URL = a.named(rec.URL, r)
	rec.WarmURL = a.named(c.WarmURL(), r)
	if a.opts.TLS != "" {
		rec.TLSURL = a.named(a.opts.TLS+"/c/"+c.ID()+"/", r)
	}
	return rec
}

// named is a URL by the host that the request named, where that can be another
// machine's: what this one calls itself is of no use there.
func (a *API) named(to string, r *http.Request) string {
	u, err := url.Parse(to)
	asked, askErr := url.Parse("//" + r.Host)
	if !a.opts.AnyHost || err != nil || askErr != nil || asked.Hostname() == "" {
		return to
	}
	u.Host = net.JoinHostPort(asked.Hostname(), u.Port())
	return u.String()
}

// A summary is a call in the list of all.
type summary struct {
	ID         string `json:"id"`
	URL        string `json:"url"`
	Deliveries int    `json:"deliveries"`
	Commits    int    `json:"commits"`
	Replays    int    `json:"replays"`
	InFlight   int    `json:"in_flight"`
	Finished   bool   `json:"finished"`
}

func (a *API) list(w http.ResponseWriter, req *http.Request, _ string) {
	list := []summary{}
	for _, c := range a.opts.Origin.Calls() {
		r := c.Counts()
		list = append(list, summary{r.ID, a.named(r.URL, req), r.Deliveries, r.Commits, r.Replays, r.InFlight, r.Finished})
	}
	answer(w, http.StatusOK, map[string]any{"calls": list})
}

func (a *API) create(w http.ResponseWriter, r *http.Request, _ string) {
	select {
	case a.scripts <- struct{}{}:
		defer func() { <-a.scripts }()
	case <-r.Context().Done():
		refuse(w, http.StatusServiceUnavailable, problem{Error: "the server ends"}) // or its client has left
		return
	}
	script, err := servers.ParseScript(http.MaxBytesReader(w, r.Body, servers.MaxScript+1))
	if err != nil {
		refuseScript(w, err)
		return
	}
	c, err := a.opts.Origin.Create(script)
	if err != nil {
		refuseScript(w, err)
		return
	}
	w.Header().Set("Location", "/calls/"+c.ID())
	a.answerLong(w, r, http.StatusCreated, a.record(c, r))
}

// refuseScript says why there is no call.
func refuseScript(w http.ResponseWriter, err error) {
	bad, isScript := errors.AsType[*servers.ScriptError](err)
	_, tooLong := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, servers.ErrTaken) && isScript:
		refuse(w, http.StatusConflict, problem{bad.Why, bad.Field})
	case isScript:
		refuse(w, http.StatusBadRequest, problem{bad.Why, bad.Field})
	case errors.Is(err, servers.ErrTooManyCalls):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, problem{Error: err.Error() + "; delete one, or ask for more with --max-calls"})
	case tooLong:
		refuse(w, http.StatusBadRequest, problem{"longer than a script may be", "script"})
	default: // its body broke off
		refuse(w, http.StatusBadRequest, problem{err.Error(), "script"})
	}
}

func noCall(w http.ResponseWriter) {
	refuse(w, http.StatusNotFound, problem{Error: "no such call; one that is finished makes room for new ones"})
}

func (a *API) remove(w http.ResponseWriter, _ *http.Request, id string) {
	if _, known := a.opts.Origin.Lookup(id); !known {
		noCall(w)
		return
	}
	a.opts.Origin.Delete(id) // another request may have been faster
	w.WriteHeader(http.StatusNoContent)
}
