package child

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

const childArg = "answer-until-stdin-ends"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == childArg {
		if err := Answer(os.Stdin, os.Stdout, echo); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

// echo answers everything but "no".
func echo(question string) (any, error) {
	if question == "no" {
		return nil, errors.New("not that")
	}
	return []string{question, fmt.Sprint(os.Getpid())}, nil
}

func TestChildAnswersFromAProcessOfItsOwn(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	c, err := Start(os.Stderr, childArg)
	if err != nil {
		t.Fatal(err)
	}
	for _, question := range []string{"one", "two"} {
		var got [2]string
		if err := c.Ask(question, &got); err != nil || got[0] != question || got[1] == fmt.Sprint(os.Getpid()) {
			t.Errorf("Ask(%q) = %q, %v, want it from another process", question, got, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestChildThatFailsIsTold(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	var stderr bytes.Buffer
	c, err := Start(&stderr, childArg)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := c.Ask("no", &got); err == nil {
		t.Errorf("Ask of a child that ends = %v, want an error", got)
	}
	if err := c.Close(); err == nil || !strings.Contains(stderr.String(), "not that") {
		t.Errorf("Close = %v, stderr %q, want its exit code and its word", err, &stderr)
	}
}

func TestMemoryIsMeasured(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc")
	}
	held := bytes.Repeat([]byte("x"), 32<<20)
	with := MeasureMemory()
	runtime.KeepAlive(held)
	held = nil
	without := MeasureMemory()
	const much = 30 << 20
	if with.Heap < without.Heap+much || with.Resident < without.Resident+much || without.Peak < without.Resident+much {
		t.Errorf("memory %+v with 32 MiB more than %+v", with, without)
	}
	if err := ResetPeak(); err != nil {
		t.Fatal(err)
	}
	if after := MeasureMemory(); after.Peak > without.Peak-much {
		t.Errorf("peak %d after ResetPeak, %d before", after.Peak, without.Peak)
	}
}

func TestDescriptorsAreCounted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc")
	}
	before, err := Descriptors()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	with, err := Descriptors()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if with != before+1 {
		t.Errorf("%d descriptors, and %d with one more", before, with)
	}
}
