package scenarios

import (
	"errors"
	"path"
	"slices"
	"strings"
	"testing"
)

func testGroups() []Group {
	a, b, c := &Case{ID: "net/a"}, &Case{ID: "net/b"}, &Case{ID: "tls/c"}
	return []Group{
		{ID: "net", Rows: rows(a, b)},
		{ID: "tls", Rows: rows(c)},
	}
}

func TestSelectFindsGroupsRowsAndGlobsInTheOrderOfTheLab(t *testing.T) {
	for _, tc := range []struct {
		why  string
		ids  []string
		want []string
	}{
		{"nothing named means everything", nil, []string{"net/a", "net/b", "tls/c"}},
		{"a group means its rows", []string{"net"}, []string{"net/a", "net/b"}},
		{"a row means itself", []string{"net/b"}, []string{"net/b"}},
		{"the order asked for is not the order printed", []string{"tls", "net/a"}, []string{"net/a", "tls/c"}},
		{"named twice, run once", []string{"net/a", "net/*"}, []string{"net/a", "net/b"}},
		{"a glob crosses groups only with its slash", []string{"*/c"}, []string{"tls/c"}},
	} {
		sel, err := Select(testGroups(), tc.ids)
		if err != nil {
			t.Errorf("%s: Select(%q): %v", tc.why, tc.ids, err)
			continue
		}
		var got []string
		for _, s := range sel {
			for _, row := range s.Rows {
				got = append(got, row.ID)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: Select(%q) = %q, want %q", tc.why, tc.ids, got, tc.want)
		}
	}
}

func TestSelectionIsCompleteOnlyWithEveryRow(t *testing.T) {
	for id, want := range map[string]bool{"net": true, "net/a": false, "tls/c": true} {
		sel, err := Select(testGroups(), []string{id})
		if err != nil || len(sel) != 1 || sel[0].Complete != want {
			t.Errorf("Select(%q) = %+v, %v; want one selection, complete %v", id, sel, err, want)
		}
	}
}

func TestAnUnknownIDComesWithTheNearestOnes(t *testing.T) {
	for _, tc := range []struct{ id, nearest string }{
		{"network/refusd", "network/refused"},
		{"refused", "network/refused"},
		{"satus", "status"},
		{"charge/new_key", "charge/new-key"},
		{"NETWORK", "network"},
		{"Network/REFUSED", "network/refused"},
		{"REFUSED", "network/refused"},
	} {
		_, err := Select(Groups(), []string{tc.id})
		unknown, ok := errors.AsType[*UnknownID](err)
		if !ok || !slices.Contains(unknown.Nearest, tc.nearest) {
			t.Errorf("Select(%q) = %v, %+v; want %q among the nearest", tc.id, err, unknown, tc.nearest)
		}
	}
	for _, id := range []string{"", "*", "/", "?", "zz", "//", strings.Repeat("x", 100_000)} {
		_, err := Select(Groups(), []string{id})
		if unknown, ok := errors.AsType[*UnknownID](err); !ok || len(unknown.Nearest) > 0 {
			t.Errorf("Select(%.9q) = %.99v; want an unknown id that nothing is near to", id, err)
		}
	}
	if _, err := Select(Groups(), []string{"net["}); !errors.Is(err, path.ErrBadPattern) {
		t.Errorf("Select(net[) = %v, want %v", err, path.ErrBadPattern)
	}
}

func TestIDsAreUniqueAndOfTheirGroup(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range Groups() {
		for _, row := range g.Rows {
			if seen[row.ID] || !ofGroup(row.ID, g.ID) {
				t.Errorf("row %q of group %q: not unique, or of another group", row.ID, g.ID)
			}
			seen[row.ID] = true
			if row.Case.Title == "" || row.Case.Source == "" {
				t.Errorf("row %q: no title or source", row.ID)
			}
		}
	}
}
