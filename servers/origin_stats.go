package servers

import (
	"strconv"
	"sync/atomic"
)

// An originCount is what has happened at all.
type originCount struct {
	connections, open atomic.Int64
	created, evicted  atomic.Int64
	begun, taken      atomic.Int64 // deliveries, and those that are a call's
	warmUps, replays  atomic.Int64
	statuses          [1000]atomic.Int64
	faults            [32]atomic.Int64 // by the place in kinds
}

// step counts a delivery that meets s.
func (n *originCount) step(s *step) {
	if s.status != 0 {
		n.statuses[s.status].Add(1)
		return
	}
	n.faults[s.kind.place].Add(1)
}

// OriginStats are counts since the start, but for the open connections and the
// calls, which are those of the moment.
type OriginStats struct {
	Connections     int64
	OpenConnections int64
	Calls           int
	CallsCreated    int64
	CallsEvicted    int64
	Deliveries      map[string]int64 // by fault
	WarmUps         int64
	Replays         int64 // deliveries with the attempt number of an earlier one
	Strays          int64 // requests that were no call's, and heads that are not complete
}

// Stats returns a copy.
func (o *Origin) Stats() OriginStats {
	n := &o.counted
	o.mu.RLock()
	calls := len(o.calls)
	o.mu.RUnlock()
	s := OriginStats{
		Connections: n.connections.Load(), OpenConnections: n.open.Load(),
		Calls: calls, CallsCreated: n.created.Load(), CallsEvicted: n.evicted.Load(),
		Deliveries: map[string]int64{}, WarmUps: n.warmUps.Load(), Replays: n.replays.Load(),
	}
	taken := n.taken.Load() // before begun, so that the difference is never negative
	s.Strays = n.begun.Load() - taken
	for i := range n.statuses {
		if v := n.statuses[i].Load(); v > 0 {
			s.Deliveries[strconv.Itoa(i)] = v
		}
	}
	for i := range kinds {
		if v := n.faults[i].Load(); v > 0 {
			s.Deliveries[kinds[i].name] = v
		}
	}
	return s
}
