package control

import (
	_ "embed"
	"net/http"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI describes the API, as OpenAPI 3.1 in JSON: a copy.
func OpenAPI() []byte { return append([]byte{}, openAPI...) }

// A Port is a server with one fault, whose whole port has it.
type Port struct {
	Name string
	Says string // what a client meets there, in a sentence
	URL  string

	// Ledger is the server's, nil where the kernel answers and no program sees
	// who came. Its times are shown since Epoch.
	Ledger *servers.Ledger
	Epoch  time.Time
}

// A port is one in the list of all.
type port struct {
	Name        string `json:"name"`
	Says        string `json:"says"`
	URL         string `json:"url"`
	Observed    bool   `json:"observed"` // there is a ledger; else the kernel answers
	Connections int    `json:"connections"`
	Deliveries  int    `json:"deliveries"`
	Dropped     int    `json:"dropped"` // past the ledger's bound
}

// A portRecord is a port with its ledger.
type portRecord struct {
	port
	ConnectionLedger []connection       `json:"connection_ledger"`
	Ledger           []servers.Delivery `json:"ledger"`
}

type connection struct {
	N          int     `json:"n"`
	ClientPort int     `json:"client_port"`
	OpenedAtMS float64 `json:"opened_at_ms"` // since the service began
	Deliveries int     `json:"deliveries"`
}

func (p Port) record() portRecord {
	r := portRecord{port: port{Name: p.Name, Says: p.Says, URL: p.URL, Observed: p.Ledger != nil},
		ConnectionLedger: []connection{}, Ledger: []servers.Delivery{}}
	if p.Ledger == nil {
		return r
	}
	from := p.Ledger.Record(p.Epoch)
	r.Connections, r.Deliveries, r.Dropped = len(from.Connections), len(from.Deliveries), from.Dropped
	for _, c := range from.Connections {
		r.ConnectionLedger = append(r.ConnectionLedger, connection{c.N, c.Port, milliseconds(c.OpenedAt.Sub(p.Epoch)), c.Deliveries})
	}
	var keys servers.MaskKeys
	for _, d := range from.Deliveries {
		d.Key = keys.Mask(d.Key)
		r.Ledger = append(r.Ledger, d)
	}
	return r
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (a *API) ports(w http.ResponseWriter, _ *http.Request, _ string) {
	list := []port{}
	for _, p := range a.opts.Ports {
		list = append(list, p.record().port)
	}
	answer(w, http.StatusOK, map[string]any{"ports": list})
}

func (a *API) port(w http.ResponseWriter, r *http.Request, name string) {
	for _, p := range a.opts.Ports {
		if p.Name == name {
			a.answerLong(w, r, http.StatusOK, p.record())
			return
		}
	}
	refuse(w, http.StatusNotFound, problem{Error: "no such port; GET /ports lists them"})
}

func (a *API) faults(w http.ResponseWriter, _ *http.Request, _ string) {
	answer(w, http.StatusOK, map[string]any{"faults": servers.Faults()})
}

func (a *API) openAPI(w http.ResponseWriter, _ *http.Request, _ string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openAPI) // who has left has left
}
