package golden

import (
	"regexp"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

func TestARuleAllowsItsWordsAndThePatternWhole(t *testing.T) {
	rule := Rule{Words: []string{"none", ""}, Pattern: regexp.MustCompile(`a|ab|[0-9]+`)}
	for _, tt := range []struct {
		why  string
		cell Cell
		want string // part of the error, or nothing
	}{
		{"a word", Values("none"), ""},
		{"the empty word", Values(), ""},
		{"the pattern", Values("17"), ""},
		{"its second alternative, which begins with the first", Values("ab"), ""},
		{"more than the pattern", Values("17 ms"), `unknown word "17 ms": want none, -, a|ab|[0-9]+`},
		{"more before it", Values("x17"), `unknown word "x17"`},
		{"one of several", Values("none", "many"), `unknown word "many"`},
		{"a range within the pattern", Range(1, 20), ""},
		{"a range with an end outside", Range(-1, 20), `unknown word "-1"`},
		{"anything", Any(), ""},
	} {
		err := rule.check(tt.cell)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: check(%s) = %v, want %q", tt.why, tt.cell, err, tt.want)
		}
	}
}

func TestTheZeroRuleAllowsEveryText(t *testing.T) {
	for _, c := range []Cell{Values("whatever"), Values(), Range(1, 2), Any(), Values("a", "b")} {
		if err := (Rule{}).check(c); err != nil {
			t.Errorf("check(%s) = %v", c, err)
		}
	}
}

func TestASingleRuleAllowsOneValue(t *testing.T) {
	rule := Rule{Single: true}
	for _, c := range []Cell{Values("a", "b"), Range(1, 2), Any()} {
		if err := rule.check(c); err == nil {
			t.Errorf("check(%s) = nil, want an error", c)
		}
	}
	for _, c := range []Cell{Values("a"), Values()} {
		if err := rule.check(c); err != nil {
			t.Errorf("check(%s) = %v", c, err)
		}
	}
}

func TestAMessageListsOnlyTheFirstWordsOfMany(t *testing.T) {
	err := Standard()["code"].check(Values("ECONNREST"))
	if err == nil || len(err.Error()) > 400 || !strings.Contains(err.Error(), `unknown word "ECONNREST": want `) {
		t.Errorf("check = %v", err)
	}
}

func TestWithAddsColumnsToACopy(t *testing.T) {
	standard := Standard()
	all := standard.With(Vocabulary{"saw": {}, "code": {}})
	if _, ok := standard["saw"]; ok || standard["code"].Words == nil {
		t.Error("With changed its receiver")
	}
	if _, ok := all["saw"]; !ok || all["code"].Words != nil || all["phase"].Words == nil {
		t.Errorf("With gives %v", all)
	}
	if got := Vocabulary(nil).With(Vocabulary{"saw": {}}); len(got) != 1 {
		t.Errorf("With on nil gives %v", got)
	}
}

func TestTheStandardColumnsKnowTheClassifiersWordsAndNoOthers(t *testing.T) {
	for _, tt := range []struct {
		column  string
		known   []string
		unknown string
	}{
		{"code", append(words(classifier.Codes()...), "ECONNRESET", "HTTP_503"), "HTTP_5030"},
		{"syscall", append(words(classifier.Syscalls()...), "connect", ""), "dial"},
		{"phase", append(words(classifier.Phases()...), "read-head"), "reading"},
		{"processed", words(classifier.Never, classifier.Maybe, classifier.Yes), "no"},
		{"basis", words(classifier.Guaranteed, classifier.Claimed, classifier.Assumed), "guessed"},
		{"reason", words(classifier.Reasons()...), "because"},
		{"get", []string{"yes", "no", "modified", ""}, "retry"},
		{"post", []string{"yes", "no", "modified", ""}, "retry"},
		{"post_key", []string{"yes", "no", "modified", ""}, "retry"},
	} {
		rule, ok := Standard()[tt.column]
		if !ok || len(tt.known) == 0 {
			t.Errorf("no column %s, or no words for it", tt.column)
			continue
		}
		for _, w := range tt.known {
			if err := rule.check(Values(w)); err != nil {
				t.Errorf("%s: %v", tt.column, err)
			}
		}
		if err := rule.check(Values(tt.unknown)); err == nil {
			t.Errorf("%s allows %q", tt.column, tt.unknown)
		}
	}
}
