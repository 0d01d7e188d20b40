package retry

import "context"

type policyKey struct{}

// WithPolicy returns a context whose requests have this policy in place of the
// Transport's; nothing of the two is merged.
func WithPolicy(ctx context.Context, p Policy) context.Context {
	return context.WithValue(ctx, policyKey{}, &p)
}

// Off returns a context whose requests are sent once, and whose errors come
// out as they are. net/http's own replays are off too.
func Off(ctx context.Context) context.Context {
	return context.WithValue(ctx, policyKey{}, (*Policy)(nil))
}

// policyIn is the policy of a request: that of its context, or the default.
// off: there is to be one attempt and no policy.
func policyIn(ctx context.Context, standard *Policy) (p *Policy, off bool) {
	p, set := ctx.Value(policyKey{}).(*Policy)
	switch {
	case !set:
		return standard, false
	case p == nil:
		return &offPolicy, true
	}
	return p, false
}

// offPolicy is what Off leaves; nobody writes to it.
var offPolicy = Policy{MaxAttempts: 1, Budget: Budget{Off: true}}
