package golden_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"strings"

	"github.com/retry-lab/retry-lab/golden"
)

// run is what two runs of a case gave: a close that races shows as one of two
// errors.
func run() golden.Run {
	seen := func(code, syscall string) []golden.Observed {
		return []golden.Observed{{ID: "network/unread", Cells: map[string][]string{"code": {code}, "syscall": {syscall}}}}
	}
	return golden.Run{
		Group: "network", Title: "what the client sees", Source: "tcp(7)",
		Columns:  []string{"code", "syscall"},
		Rows:     golden.Union(seen("EPIPE", "write"), seen("ECONNRESET", "write")),
		Complete: true,
	}
}

func ExampleUpdate() {
	table, changed, err := golden.Update(nil, run())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("changed:", changed)
	if err := golden.Write(os.Stdout, table); err != nil {
		fmt.Println(err)
	}
	// Output:
	// changed: true
	// # network: what the client sees
	//
	// Golden table of retry-lab, recorded from real runs by `retry-lab golden update`. Source: tcp(7)
	//
	// | id             | code                | syscall |
	// | -------------- | ------------------- | --- |
	// | network/unread | ECONNRESET or EPIPE | write |
}

func ExampleCompare() {
	const file = "# network: what the client sees\n\n" +
		"Golden table of retry-lab, recorded from real runs by `retry-lab golden update`.\n\n" +
		"| id | code | syscall |\n" +
		"| --- | --- | --- |\n" +
		"| network/unread | ECONNRESET or EPIPE | read |\n"
	table, err := golden.Parse("golden/linux/network.md", strings.NewReader(file), golden.Standard())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, drift := range golden.Compare(table, run()) {
		fmt.Println(drift)
	}
	// Output:
	// golden/linux/network.md:7: network/unread syscall: want read, got write
}

func ExampleSet_Load() {
	_, file, err := golden.Embedded().Load("plan9", "network", golden.Standard())
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Println(file, "is missing")
	}
	// Output:
	// golden/plan9/network.md is missing
}

func ExampleNormalizer() {
	n := golden.Normalizer{Resolver: netip.MustParseAddrPort("127.0.0.1:40053")}
	fmt.Println(n.Normalize("lookup no-such-host.invalid. on 127.0.0.1:40053: no such host"))
	fmt.Println(n.Normalize("read tcp 127.0.0.1:41970->127.0.0.1:38311: read: connection reset by peer"))
	// Output:
	// lookup no-such-host.invalid. on RESOLVER: no such host
	// read tcp 127.0.0.1:PORT->127.0.0.1:PORT: read: connection reset by peer
}

func ExampleDiff() {
	fmt.Print(golden.Diff([]byte("| g/a | connect |\n"), []byte("| g/a | read |\n"), "golden/linux/g.md"))
	// Output:
	// --- golden/linux/g.md
	// +++ golden/linux/g.md
	// @@ -1 +1 @@
	// -| g/a | connect |
	// +| g/a | read |
}
