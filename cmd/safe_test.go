package cmd

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func TestSafeEscapesWhatATerminalWouldObey(t *testing.T) {
	for _, tt := range []struct{ sentence, in, want string }{
		{"plain text stays", "read: connection reset by peer", "read: connection reset by peer"},
		{"other scripts stay", "日本 é ñ ✓ …", "日本 é ñ ✓ …"},
		{"an escape sequence", "\x1b[31mred", `\x1b[31mred`},
		{"lines and tabs", "a\nb\r\tc", `a\nb\r\tc`},
		{"delete and bell", "\x7f\a", `\x7f\x07`},
		{"C1 controls", "\u009b31m", `\u009b31m`},
		{"text turned round", "\u202eabc\u2066", `\u202eabc\u2066`},
		{"no width", "a\u200bb\ufeffc\u00adc", `a\u200bb\ufeffc\u00adc`},
		{"invisible letters", "a\u3164b\u115fc\ufe0f", `a\u3164b\u115fc\ufe0f`},
		{"tags beyond the first plane", "a\U000e0041", `a\U000e0041`},
		{"line separators", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"not UTF-8", "a\xffb\xc3", `a\xffb\xc3`},
		{"a real replacement character", "a\ufffdb", "a\ufffdb"},
	} {
		if got := safe(tt.in); got != tt.want {
			t.Errorf("%s: safe(%q) = %s, want %s", tt.sentence, tt.in, got, tt.want)
		}
	}
}

func FuzzSafeTextIsHarmless(f *testing.F) {
	for _, seed := range []string{"", "a", hostile, "\x00\x1b\x9b\xc2\x9b\u202e", "\U000e0001", "\xed\xa0\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{safe(s), markdown(s)} {
			if i := strings.IndexFunc(out, hidden); i >= 0 || !utf8.ValidString(out) {
				t.Errorf("%q became %q", s, out)
			}
		}
		var b strings.Builder
		if err := writeJSON(&b, s, ""); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(strings.TrimSuffix(b.String(), "\n"), hidden); i >= 0 {
			t.Errorf("%q became the JSON %q", s, b.String())
		}
		var back string
		if err := json.Unmarshal([]byte(b.String()), &back); err != nil {
			t.Errorf("%q became %q, which is no JSON: %v", s, b.String(), err)
		}
		if utf8.ValidString(s) && !strings.Contains(s, "@") && back != s {
			t.Errorf("%q came back from JSON as %q", s, back)
		}
	})
}

func TestURLsLoseNameAndPassword(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"Get http://u:p@h/x?y=a@b: EOF", "Get http://…@h/x?y=a@b: EOF"},
		{"https://token@api.example/", "https://…@api.example/"},
		{"socks5://u:p%40@h:1", "socks5://…@h:1"},
		{"two http://a:b@c and HTTP://d:e@f", "two http://…@c and HTTP://…@f"},
		{"mail a@b.example about http://h/", "mail a@b.example about http://h/"},
		{"http://h/@path", "http://h/@path"},
	} {
		if got := maskURLs(tt.in); got != tt.want {
			t.Errorf("maskURLs(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
