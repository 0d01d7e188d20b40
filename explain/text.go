package explain

import (
	"bytes"

	"github.com/retry-lab/retry-lab/classifier"
)

// Text says what the text of an error means. It never fails and never
// panics, whatever the text holds; what is not recognised is UNKNOWN. Of an
// input longer than a mebibyte only the surroundings of known words are read:
// [Log] reads all of it.
func Text(input []byte) Result {
	result := Result{Schema: Schema, Answers: []Answer{}}
	if len(bytes.TrimSpace(input)) == 0 {
		return result
	}
	r := readings.Get().(*reading)
	defer r.release()
	text, whole := condense(input)
	records := r.records(text)
	for _, f := range records {
		a := f.answer()
		a.Range = whole.restore(a.Range, len(text), len(input))
		if a.Code == classifier.Unknown {
			a.Nearest = nearest(r.book, r.low, a.Entry)
		}
		result.Answers = append(result.Answers, a)
	}
	if len(records) == 0 {
		result.Answers = append(result.Answers, r.unknown(input))
	}
	result.Operation = operate(result.Answers, records)
	return result
}

const (
	mostLines   = 20_000 // of one text; what follows them is one line more
	mostRecords = 256
)

// records reads the input's failures, one finding for each.
func (r *reading) records(input []byte) []*finding {
	lines := r.readLines(input)
	if string(bytes.TrimSpace(r.norm)) == "EOF" {
		r.norm = append(r.norm[:0], "error: EOF"...) // shorter than any literal can be
	}
	r.scan()
	parts := r.parts(input, lines)
	var found []*finding
	for i, from := range parts {
		to := len(lines)
		if i+1 < len(parts) {
			to = parts[i+1]
		}
		f := r.find(lines[from].norm, r.normEnd(lines, to))
		if f == nil {
			continue
		}
		f.from, f.to = lines[from].from, lines[to-1].to
		found = append(found, f)
	}
	if len(found) == 1 {
		found[0].from, found[0].to = 0, len(input)
	}
	return merge(found, input)
}

// operate takes all records together.
func operate(answers []Answer, records []*finding) *Operation {
	last := &answers[len(answers)-1]
	op := &Operation{
		Code: last.Code, Syscall: last.Syscall, Phase: last.Phase, Processed: last.Processed,
		Get: last.Get, Post: last.Post, PostKey: last.PostKey, WaitMS: last.WaitMS, Reason: last.Reason,
	}
	for i := range answers[:len(answers)-1] {
		a := &answers[i]
		if different(records[i], records[len(records)-1]) {
			return nil
		}
		op.take(a)
	}
	return op
}

// take makes the operation no better than the answer.
func (op *Operation) take(a *Answer) {
	op.Processed = op.Processed.Worse(a.Processed)
	op.Get, op.PostKey = timid(op.Get, a.Get), timid(op.PostKey, a.PostKey)
	if boldness(a.Post) < boldness(op.Post) {
		op.Post, op.Reason = a.Post, a.Reason
	}
}
