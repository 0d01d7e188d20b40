package servers

// Join puts the records of two servers together, numbering on.
func (r Record) Join(other Record) Record {
	shift := len(r.Connections)
	out := Record{
		Connections: append([]Connection(nil), r.Connections...),
		Deliveries:  append([]Delivery(nil), r.Deliveries...),
		Dropped:     r.Dropped + other.Dropped,
	}
	for _, c := range other.Connections {
		c.N += shift
		out.Connections = append(out.Connections, c)
	}
	for _, d := range other.Deliveries {
		d.Connection += shift
		d.N = len(out.Deliveries) + 1
		out.Deliveries = append(out.Deliveries, d)
	}
	return out
}
