// Package metrics shows what an Origin has done in the Prometheus text format.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/retry-lab/retry-lab/servers"
)

// A number is a metric without labels.
type number struct {
	name, help string
	kind       prometheus.ValueType
	of         func(servers.OriginStats) float64
}

// numbers are all of them; nothing changes them.
var numbers = []number{
	{"connections_total", "Connections accepted.", prometheus.CounterValue, func(s servers.OriginStats) float64 { return float64(s.Connections) }},
	{"open_connections", "Connections open now.", prometheus.GaugeValue, func(s servers.OriginStats) float64 { return float64(s.OpenConnections) }},
	{"calls", "Calls held now, standing ones not among them.", prometheus.GaugeValue, func(s servers.OriginStats) float64 { return float64(s.Calls) }},
	{"calls_created_total", "Calls made.", prometheus.CounterValue, func(s servers.OriginStats) float64 { return float64(s.CallsCreated) }},
	{"calls_evicted_total", "Finished calls that made room for new ones.", prometheus.CounterValue, func(s servers.OriginStats) float64 { return float64(s.CallsEvicted) }},
	{"warm_ups_total", "Deliveries that only made a connection ready.", prometheus.CounterValue, func(s servers.OriginStats) float64 { return float64(s.WarmUps) }},
	{"replays_total", "Deliveries with the attempt number of an earlier one.", prometheus.CounterValue, func(s servers.OriginStats) float64 { return float64(s.Replays) }},
	{"strays_total", "Requests that were no call's, and heads that were not complete.", prometheus.CounterValue, func(s servers.OriginStats) float64 { return float64(s.Strays) }},
}

// A collector reads an Origin whenever it is asked.
type collector struct {
	stats      func() servers.OriginStats
	numbers    []*prometheus.Desc // as the list above
	deliveries *prometheus.Desc
}

// Collector is the Origin's metrics, for a registry of one's own. Their names
// begin with retry_lab_.
func Collector(o *servers.Origin) prometheus.Collector {
	c := &collector{stats: o.Stats, deliveries: desc("deliveries_total", "Deliveries of calls by the fault that they met.", "fault")}
	for _, n := range numbers {
		c.numbers = append(c.numbers, desc(n.name, n.help))
	}
	return c
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName("retry_lab", "", name), help, labels, nil)
}

// Describe is prometheus.Collector's.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.numbers {
		to <- d
	}
	to <- c.deliveries
}

// Collect is prometheus.Collector's.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	s := c.stats()
	for i, n := range numbers {
		to <- prometheus.MustNewConstMetric(c.numbers[i], n.kind, n.of(s))
	}
	for fault, count := range s.Deliveries {
		to <- prometheus.MustNewConstMetric(c.deliveries, prometheus.CounterValue, float64(count), fault)
	}
}

// Handler answers a scrape of the Origin. Nothing of the process is in it, and
// no registry but its own.
func Handler(o *servers.Origin) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(Collector(o))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{MaxRequestsInFlight: 8})
}
