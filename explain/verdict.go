package explain

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// Codes that only a text has: a server's own log line, and GRPC_ with the name
// of a status.
const notClientSide classifier.Code = "NOT_CLIENT_SIDE"

const grpcPrefix = "GRPC_"

// outcome is what becomes of a record once its code and phase are known.
type outcome struct {
	failure            classifier.Failure
	get, post, postKey Cell
	reason             classifier.Reason
}

// judge makes the failure and asks classifier.Decide.
func judge(f *finding) outcome {
	if f.wait && f.processed == "" {
		f.processed = classifier.Never // what is shed was not begun
	}
	failure := f.form()
	if f.processed != "" && failure.Processed != f.processed {
		failure.Processed, failure.Basis = f.processed, basisOf(f.processed, &failure)
	}
	o := outcome{failure: failure}
	like := f.like
	if like == "" {
		like = grpcLike(f.code)
	}
	switch {
	case f.code == classifier.Unknown || f.code == notClientSide:
		o.get, o.post, o.postKey = CellUnknown, CellUnknown, CellUnknown
		o.reason = classifier.NotRecognised
		return o
	case f.code == classifier.BodyConsumed:
		o.get, o.post, o.postKey = CellModified, CellModified, CellModified
		if failure.Processed != classifier.Never {
			o.post = CellNo
		}
		o.reason = classifier.BodyGone
		return o
	}
	as := standIn(failure, like)
	get, post, key := decide(as)
	o.get, o.post, o.postKey, o.reason = cell(get), cell(post), cell(key), post.Reason
	if f.earlier && o.post == CellYes && failure.Phase != classifier.PhaseAnswered {
		as.Processed = classifier.Maybe
		o.failure.Processed, o.failure.Basis = classifier.Maybe, classifier.Assumed
		get, post, key = decide(as)
		o.get, o.post, o.postKey, o.reason = cell(get), cell(post), cell(key), post.Reason
	}
	if f.wait || shed(&as) && f.like == "" {
		o.get, o.post, o.postKey = CellWait, CellWait, CellWait
		if o.reason != classifier.ServerSaidWait {
			o.reason = classifier.RateLimited
		}
	}
	return o
}

// form makes the failure of the names that the text gave.
func (f *finding) form() classifier.Failure {
	if f.status != 0 && f.code != classifier.Proxy {
		r := classifier.Response{Status: f.status, Header: http.Header{}, Received: time.Unix(0, 0)}
		if f.waitMS != nil {
			r.Header.Set("Retry-After-Ms", strconv.FormatInt(*f.waitMS, 10))
		}
		if f.processed == "" && f.waitMS == nil {
			// A text without a header does not show who answered.
			r.Header.Set("Via", "unknown")
		}
		r.Body = f.body
		return classifier.FromResponse(r)
	}
	if failure, err := classifier.FromNames(f.code, f.call, f.phase); err == nil {
		failure.Status = f.status
		return failure
	}
	if failure, err := classifier.FromNames(f.code, "", f.phase); err == nil {
		failure.Syscall, failure.Status = f.call, f.status
		return failure
	}
	return classifier.Failure{Code: f.code, Syscall: f.call, Phase: f.phase, Processed: impliedBy(f.phase), Basis: classifier.Assumed}
}

// impliedBy is what the phase alone says about processing.
func impliedBy(p classifier.Phase) classifier.Processed {
	switch p {
	case classifier.PhasePrepare, classifier.PhaseResolve, classifier.PhaseConnect, classifier.PhaseProxy,
		classifier.PhaseTLS, classifier.PhasePool:
		return classifier.Never
	case classifier.PhaseReadBody:
		return classifier.Yes
	}
	return classifier.Maybe
}

// basisOf a Processed that the text states.
func basisOf(p classifier.Processed, f *classifier.Failure) classifier.Basis {
	switch {
	case p != classifier.Never:
		return classifier.Assumed
	case f.Phase == classifier.PhaseAnswered:
		return classifier.Claimed
	}
	return classifier.Guaranteed
}

// standIn is the failure as the rule of another code sees it.
func standIn(f classifier.Failure, like classifier.Code) classifier.Failure {
	if like == "" {
		return f
	}
	as, err := classifier.FromNames(like, "", "")
	if err != nil {
		return f
	}
	as.Processed, as.Basis = f.Processed, f.Basis
	if as.Status != 0 {
		return as
	}
	if as.Phase = f.Phase; as.Phase == classifier.PhaseAnswered {
		as.Phase = classifier.PhaseAwait
	}
	return as
}

// grpcLike is the HTTP status whose rule fits a gRPC status.
func grpcLike(code classifier.Code) classifier.Code {
	for i := range grpcStatuses {
		if grpcStatuses[i].code == code {
			return grpcStatuses[i].like
		}
	}
	return ""
}

// decide asks for the three requests. A text is no plan: however long the wait
// that it names, whether that is too long is for the reader.
func decide(f classifier.Failure) (get, post, key classifier.Decision) {
	p := classifier.Policy{MaxWait: math.MaxInt64}
	get = classifier.Decide(f, classifier.Request{Method: "GET", BodyReplayable: true}, p)
	post = classifier.Decide(f, classifier.Request{Method: "POST", BodyReplayable: true}, p)
	key = classifier.Decide(f, classifier.Request{Method: "POST", Key: true, KeyHonoured: true, BodyReplayable: true}, p)
	return get, post, key
}

func cell(d classifier.Decision) Cell {
	switch d.Verdict {
	case classifier.Retry:
		return CellYes
	case classifier.RetryModified:
		return CellModified
	}
	return CellNo
}

// shed tells whether an answer limits or sheds load.
func shed(f *classifier.Failure) bool {
	switch f.Status {
	case http.StatusTooManyRequests, 529:
		return true
	}
	return f.Server.HasWait && f.Processed == classifier.Never && f.Status != 0
}

// boldness orders verdicts from the least bold.
func boldness(c Cell) int {
	switch c {
	case CellUnknown:
		return 0
	case CellNo:
		return 1
	case CellModified:
		return 2
	case CellWait:
		return 3
	}
	return 4
}

// timid is the less bold of two verdicts.
func timid(a, b Cell) Cell {
	if boldness(a) < boldness(b) {
		return a
	}
	return b
}
