package cmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// A wholeFlag is a flag that takes a whole number from least to most. The flags of
// pflag would take 0503 for an octal number and 0x1F7 for a status.
type wholeFlag struct {
	value       *int
	least, most int
}

func (w wholeFlag) String() string { return strconv.Itoa(*w.value) }
func (w wholeFlag) Type() string   { return "number" }

func (w wholeFlag) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != s || n < w.least || n > w.most {
		return fmt.Errorf("want a number from %d to %d, in decimal digits without leading zeros", w.least, w.most)
	}
	*w.value = n
	return nil
}

// A textFlag is a flag that takes anything but nothing: an empty value is most
// often a variable of the shell that was not set. form says what it takes.
type textFlag struct {
	value *string
	form  string
}

func (t textFlag) String() string { return *t.value }
func (t textFlag) Type() string   { return "string" }

func (t textFlag) Set(s string) error {
	if s == "" {
		return errors.New("want " + t.form)
	}
	*t.value = s
	return nil
}

// waitForm is how a duration is written.
const waitForm = "5s, 1m30s or 500ms"

// A waitFlag is a flag that takes a duration.
type waitFlag struct{ value *time.Duration }

func (w waitFlag) String() string { return w.value.String() }
func (w waitFlag) Type() string   { return "duration" }

func (w waitFlag) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("want a duration such as " + waitForm)
	}
	*w.value = d
	return nil
}

// A parsedFlag is a flag whose value is checked by whoever uses it: any that
// can be read will do.
type parsedFlag[T any] struct {
	value *T
	parse func(string) (T, error)
}

func (p parsedFlag[T]) String() string { return fmt.Sprint(*p.value) }
func (p parsedFlag[T]) Type() string   { return "number" }

func (p parsedFlag[T]) Set(s string) error {
	v, err := p.parse(s)
	if err == nil {
		*p.value = v
	}
	return err
}

// A listFlag is a flag that takes several values with commas between them, and
// may be given again.
type listFlag[T any] struct {
	values *[]T
	parse  func(string) (T, error)
}

func (l listFlag[T]) String() string { return strings.Trim(fmt.Sprint(*l.values), "[]") }
func (l listFlag[T]) Type() string   { return "list" }

func (l listFlag[T]) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		v, err := l.parse(part)
		if err != nil {
			return err
		}
		*l.values = append(*l.values, v)
	}
	return nil
}

func count(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, errors.New("want a whole number")
	}
	return n, nil
}

func fraction(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, errors.New("want a number such as 2 or 0.5")
	}
	return v, nil
}

func asIs[T ~string](s string) (T, error) { return T(s), nil }

// flagError says in the words of the command line what cobra says in those of
// package strconv. The flags above have their own words.
func flagError(_ *cobra.Command, err error) error {
	if e, ok := errors.AsType[*strconv.NumError](err); ok && e.Func == "ParseBool" {
		return errors.New(strings.TrimSuffix(err.Error(), e.Error()) + "want true or false")
	}
	return err
}
