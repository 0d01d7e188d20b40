package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"
)

// Whatever field is added to a Run or to what it holds must cross, too.
func TestEveryFieldOfARunCrossesFromAChild(t *testing.T) {
	var sent Run
	fill(t, reflect.ValueOf(&sent).Elem(), new(int))
	var line bytes.Buffer
	if err := writeRun(&line, sent); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(line.Bytes(), []byte("\n")); n != 1 {
		t.Errorf("%d lines, want 1:\n%s", n, &line)
	}
	var w wireRun
	if err := json.Unmarshal(line.Bytes(), &w); err != nil {
		t.Fatal(err)
	}
	same(t, "Run", reflect.ValueOf(w.run()), reflect.ValueOf(sent))
}

// same compares field by field, so that a failure names the field.
func same(t *testing.T, path string, got, want reflect.Value) {
	t.Helper()
	switch {
	case reflect.DeepEqual(got.Interface(), want.Interface()):
	case got.Kind() == reflect.Struct && got.Type() != reflect.TypeFor[time.Time]():
		for i := range got.NumField() {
			if got.Type().Field(i).Name != "_" {
				same(t, path+"."+got.Type().Field(i).Name, got.Field(i), want.Field(i))
			}
		}
	case got.Kind() == reflect.Slice && got.Len() == want.Len():
		for i := range got.Len() {
			same(t, fmt.Sprintf("%s[%d]", path, i), got.Index(i), want.Index(i))
		}
	default:
		t.Errorf("%s is %+v, was %+v", path, got, want)
	}
}

// fill sets every field below v to a value that is no other's, and not zero.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(1<<30, int64(*n)).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" { // padding
				fill(t, v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("column"), reflect.ValueOf("cell"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Interface:
		v.Set(reflect.ValueOf(errors.New("some cause")))
	case reflect.String:
		v.SetString("text " + string(rune('a'+*n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n))
	default:
		t.Fatalf("a %v cannot be filled in", v.Type())
	}
}

func TestWhyAContextEndedIsTheSameErrorAfterwards(t *testing.T) {
	for _, err := range []error{nil, context.Canceled, context.DeadlineExceeded} {
		if got := contextError(text(err)); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}
