package golden

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestADiffIsAUnifiedDiff(t *testing.T) {
	numbered := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "%d\n", i)
		}
		return b.String()
	}
	const head = "--- f.md\n+++ f.md\n"
	for _, tt := range []struct{ why, old, new, want string }{
		{"equal", "a\n", "a\n", ""},
		{"both empty", "", "", ""},
		{"a new file", "", "a\nb\n", "--- /dev/null\n+++ f.md\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"an emptied file", "a\n", "", head + "@@ -1 +0,0 @@\n-a\n"},
		{"a changed line", "a\nb\nc\n", "a\nx\nc\n", head + "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"three lines of context", numbered(1, 9), numbered(1, 4) + "x\n" + numbered(6, 9), head + "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{"changes near one another", numbered(1, 9), "x\n" + numbered(2, 7) + "y\n9\n", head + "@@ -1,9 +1,9 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n 9\n"},
		{"changes far from one another", numbered(1, 20), numbered(2, 20) + "21\n", head + "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -18,3 +17,4 @@\n 18\n 19\n 20\n+21\n"},
		{"a line added in the middle", "a\nb\n", "a\nx\nb\n", head + "@@ -1,2 +1,3 @@\n a\n+x\n b\n"},
		{"a newline added at the end", "a", "a\n", head + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"an escape sequence in the old file", "\x1b[2J\n", "a\n", head + "@@ -1 +1 @@\n-\\u{1b}[2J\n+a\n"},
	} {
		if got := Diff([]byte(tt.old), []byte(tt.new), "f.md"); got != tt.want {
			t.Errorf("%s: Diff(%q, %q):\n%s\nwant\n%s", tt.why, tt.old, tt.new, got, tt.want)
		}
	}
}

func TestADiffHoldsBothSidesWhole(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n"}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		a, b := lines.Draw(t, "old"), lines.Draw(t, "new")
		checkSides(t, a, b)
	})
}

func TestADiffTooLargeToCompareIsStillRight(t *testing.T) {
	var a, b []string
	for i := range 3000 {
		a, b = append(a, fmt.Sprintf("a%d\n", i)), append(b, fmt.Sprintf("b%d\n", i))
	}
	a, b = append(a, "same\n"), append(b, "same\n")
	checkSides(t, a, b)
}

// checkSides checks that the lines of a diff give back what was compared.
func checkSides(t rapid.TB, a, b []string) {
	t.Helper()
	var old, new strings.Builder
	for _, l := range diffLines(a, b) {
		if l.kind != '+' {
			old.WriteString(l.text)
		}
		if l.kind != '-' {
			new.WriteString(l.text)
		}
	}
	if old.String() != strings.Join(a, "") || new.String() != strings.Join(b, "") {
		t.Errorf("the diff of %q and %q gives %q and %q", a, b, old.String(), new.String())
	}
}
