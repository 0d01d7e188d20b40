package cmd

import (
	"strings"
	"testing"
)

func TestTheShellCompletes(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		args     string
		typed    string
		want     string
	}{
		{"groups", "run", "", "network charge"},
		{"the cases of a group", "run", "network", "network network/refused network/reset"},
		{"a case", "run", "network/ref", "network/refused"},
		{"a second id", "run charge", "net", "network"},
		{"ids of check", "check", "ch", "charge"},
		{"ids of list", "list", "ch", "charge"},
		{"ids of golden", "golden update", "ch", "charge"},
		{"the words of -o", "all -o", "", "table json markdown junit github"},
		{"the words of -o where there are fewer", "classify -o", "", "table json"},
		{"the words of --color", "all --color", "", "auto always never"},
		{"syscalls", "classify --syscall", "", "getaddrinfo socket connect write read"},
		{"phases", "classify --phase", "read", "read-head read-body"},
		{"codes", "classify --code", "ECONNRE", "ECONNREFUSED ECONNRESET"},
		{"methods", "classify --method", "P", "POST PUT PATCH"},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			l, _ := testLab(t, testResult())
			args := append(append([]string{"__complete"}, strings.Fields(tt.args)...), tt.typed)
			got := invoke(t, l, "", args...)
			var words []string
			for line := range strings.Lines(got.stdout) {
				word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
				if !strings.HasPrefix(word, ":") && strings.HasPrefix(word, tt.typed) { // the shell filters too
					words = append(words, word)
				}
			}
			if strings.Join(words, " ") != tt.want || got.code != 0 {
				t.Errorf("exit %d, offered %v, want %s", got.code, words, tt.want)
			}
			if !strings.Contains(got.stdout, ":4\n") {
				t.Errorf("file names are offered too: %q", got.stdout)
			}
		})
	}
}
