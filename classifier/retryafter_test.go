package classifier_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

const (
	date    = "Thu, 16 Jul 2026 12:00:00 GMT" // of the response
	ignored = time.Duration(-1)
	forever = time.Duration(math.MaxInt64)
)

// received is ten minutes off the server's clock.
var received = time.Date(2026, 7, 16, 12, 10, 0, 0, time.UTC)

// waitOf is the wait that a 503 with that header names, ignored for none.
func waitOf(h http.Header, received time.Time) time.Duration {
	f := classifier.FromResponse(classifier.Response{Status: 503, Header: h, Received: received})
	if !f.Server.HasWait {
		return ignored
	}
	return f.Server.Wait
}

func TestRetryAfterIsReadStrictly(t *testing.T) {
	for _, row := range []struct {
		value string
		want  time.Duration
		why   string
	}{
		{"120", 120 * time.Second, "seconds"},
		{"0", 0, "now"},
		{" 5\t", 5 * time.Second, "white space around it"},
		{"007", 7 * time.Second, "leading zeros"},
		{"86400", 24 * time.Hour, "a day"},
		{"1.5", 2 * time.Second, "not in the grammar, but meant: rounded up"},
		{"0.0", 0, "a fraction of nothing"},
		{"0.001", time.Second, "rounded up, not down"},
		{"-5", ignored, "no sign"},
		{"+5", ignored, "no sign"},
		{"0x10", ignored, "no hexadecimal"},
		{"1e3", ignored, "no exponent"},
		{"1.", ignored, "half a fraction"},
		{".5", ignored, "half a fraction"},
		{"1.5.2", ignored, "two fractions"},
		{"", ignored, "empty"},
		{"soon", ignored, "junk"},
		{"5 apples", ignored, "junk after it"},
		{"٥", ignored, "digits of another script"},
		{"9223372036", 9223372036 * time.Second, "the longest Duration"},
		{"9223372037", forever, "one second more"},
		{"18446744074", forever, "wraps around in 64 bits"},
		{strings.Repeat("9", 400), forever, "more digits than any integer"},
		{strings.Repeat("9", 100_000), forever, "a number of any length is a wait"},
		{strings.Repeat("0", 100_000) + "7", 7 * time.Second, "its value counts, not its length"},
		{strings.Repeat("9", 100_000) + "x", ignored, "junk of any length is none"},
		{"1700000000", 1700000000 * time.Second, "no guess at seconds since 1970"},
		{"1, 120, 60", 120 * time.Second, "a list is invalid; the longest counts"},
		{"soon, 7", 7 * time.Second, "a list with junk in it"},
		{strings.Repeat(" ", 9000) + "5", 5 * time.Second, "white space of any length"},
		{strings.Repeat("5,", 5000) + "5", ignored, "a list longer than what is read"},

		{"Thu, 16 Jul 2026 12:00:07 GMT", 7 * time.Second, "IMF-fixdate"},
		{"Thursday, 16-Jul-26 12:00:07 GMT", 7 * time.Second, "RFC 850"},
		{"Thu Jul 16 12:00:07 2026", 7 * time.Second, "asctime"},
		{"Sat Aug  1 12:00:00 2026", 16 * 24 * time.Hour, "asctime, day of one digit"},
		{"Thu, 16 Jul 2026 11:59:59 GMT", 0, "past"},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 0, "long past"},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 0, "1994, which is nearer than 2094"},
		{"Thursday, 06-Nov-70 12:00:00 GMT", time.Date(2070, 11, 6, 12, 0, 0, 0, time.UTC).Sub(time.Date(2026, 7, 16, 12, 0, 0, 0, time.UTC)), "2070: not more than 50 years ahead"},
		{"Thursday, 17-Jul-76 12:00:00 GMT", 0, "1976: 2076 is more than 50 years ahead"},
		{"Thu, 16 Jul 2026 12:00:60 GMT", 59 * time.Second, "a leap second"},
		{"Thu, 16 Jul 2026 12:00:61 GMT", ignored, "no such second"},
		{"Thu, 16 Jul 2026 12:00:07 PST", ignored, "only GMT; its instant would be eight hours off"},
		{"Thu, 16 Jul 2026 12:00:07 EST", ignored, "only GMT"},
		{"Thu, 16 Jul 2026 12:00:07 UTC", ignored, "only GMT"},
		{"Thu, 16 Jul 2026 12:00:07 gmt", ignored, "case matters"},
		{"Thu, 16 Jul 2026 12:00:07 +0000", ignored, "no offset"},
		{"Thu, 16 jul 2026 12:00:07 GMT", ignored, "case matters"},
		{"Thu, 30 Feb 2027 12:00:00 GMT", ignored, "no such day"},
		{"Thu, 16 Jul 2026 24:00:00 GMT", ignored, "no such hour"},
		{"Thu, 6 Jul 2026 12:00:00 GMT", ignored, "day of one digit"},
		{"Thr, 16 Jul 2026 12:00:07 GMT", ignored, "no such weekday"},
		{"Thu,  16 Jul 2026 12:00:07 GMT", ignored, "one space"},
		{"2026-07-16T12:00:07Z", ignored, "no HTTP-date"},
		{"Thu, 16 Jul 2026 12:00:07.5 GMT", ignored, "no fraction"},
		{"Fri, 31 Dec 9999 23:59:59 GMT", forever, "further than a Duration reaches"},
	} {
		if got := waitOf(header("Date", date, "Retry-After", row.value), received); got != row.want {
			t.Errorf("Retry-After: %.60q: %v, want %v: %s", row.value, got, row.want, row.why)
		}
	}
}

func TestADateIsMeasuredByTheServersOwnClock(t *testing.T) {
	const at = "Thu, 16 Jul 2026 12:10:10 GMT"
	for _, row := range []struct {
		header   http.Header
		received time.Time
		want     time.Duration
		why      string
	}{
		{header("Retry-After", at, "Date", date), received, 610 * time.Second, "from Date, not from our clock"},
		{header("Retry-After", at, "Date", date, "Age", "600"), received, 10 * time.Second, "the answer is ten minutes old"},
		{header("Retry-After", at, "Date", date, "Age", "99999999999999999999"), received, 0, "an absurd age does not wrap around"},
		{header("Retry-After", at, "Date", date, "Age", "-5"), received, 610 * time.Second, "an invalid age is none"},
		{header("Retry-After", at), received, 10 * time.Second, "no Date: from when it arrived"},
		{header("Retry-After", at, "Date", "yesterday"), received, 10 * time.Second, "a bad Date is none"},
		{header("Retry-After", at), time.Time{}, ignored, "no clock at all: a date is no wait"},
		{header("Retry-After", at, "Date", date), time.Time{}, 610 * time.Second, "Date is enough"},
		{header("Retry-After", at, "Date", "Thursday, 16-Jul-26 12:00:00 GMT"), time.Time{}, 610 * time.Second, "Date in another form"},
		{header("Retry-After", "5"), time.Time{}, 5 * time.Second, "seconds need no clock"},
	} {
		if got := waitOf(row.header, row.received); got != row.want {
			t.Errorf("%v: %v, want %v: %s", row.header, got, row.want, row.why)
		}
	}
}

func TestRelativesOfRetryAfter(t *testing.T) {
	for _, row := range []struct {
		header http.Header
		want   time.Duration
		why    string
	}{
		{header("Retry-After", "1", "Retry-After", "soon", "Retry-After", "3"), 3 * time.Second, "several lines: the longest valid"},
		{header("Retry-After-Ms", "1500"), 1500 * time.Millisecond, "milliseconds"},
		{header("Retry-After-Ms", "0.5"), time.Millisecond, "rounded up"},
		{header("X-Ms-Retry-After-Ms", "20"), 20 * time.Millisecond, "Azure"},
		{header("X-Amz-Retry-After", "30"), 30 * time.Millisecond, "AWS"},
		{header("Grpc-Retry-Pushback-Ms", "40"), 40 * time.Millisecond, "gRPC"},
		{header("Retry-After-Ms", "9999999999999999999"), forever, "saturated"},
		{header("Retry-After-Ms", strings.Repeat("9", 100_000)), forever, "saturated at any length"},
		{header("Grpc-Retry-Pushback-Ms", strings.Repeat("9", 100_000)), forever, "saturated at any length"},
		{header("Retry-After-Ms", "100", "Retry-After", "1"), time.Second, "never shorter than Retry-After"},
		{header("RateLimit", `"default";r=0;t=30`), 30 * time.Second, "quota used up"},
		{header("RateLimit", `"default";r=1;t=30`), ignored, "quota left"},
		{header("RateLimit", `"a";r=0;t=30, "b";r=0;t=90, "c";r=5;t=300`), 90 * time.Second, "the longest that is used up"},
		{header("RateLimit", `"default";r=0`), ignored, "no time"},
		{header("RateLimit", `"default";r=0;t=-1`), ignored, "malformed"},
		{header("RateLimit", `default r=0`), ignored, "malformed"},
		{header("RateLimit", `"default";r=0;t=30`, "Retry-After", "1"), time.Second, "Retry-After takes precedence"},
		{header("RateLimit", `"default";r=0;t=30`, "Age", "5"), ignored, "a cached answer's quota is another's"},
		{header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "60"), 60 * time.Second, "seconds from now"},
		{header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1784203230"), 30 * time.Second, "seconds since 1970"},
		{header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1784203230000"), 30 * time.Second, "milliseconds since 1970"},
		{header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "500000000"), ignored, "neither: no guess"},
		{header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "6m0s"), ignored, "no number"},
		{header("X-RateLimit-Remaining", "1", "X-RateLimit-Reset", "60"), ignored, "quota left"},
		{header("X-RateLimit-Reset", "60"), ignored, "quota unknown"},
	} {
		row.header.Set("Date", date)
		if got := waitOf(row.header, received); got != row.want {
			t.Errorf("%v: %v, want %v: %s", row.header, got, row.want, row.why)
		}
	}
}

// FuzzRetryAfter: whatever a server sends, the wait is not negative, a date
// never becomes more than the time to it, and net/http agrees where it reads
// the same date.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{
		"120", "0", "-5", "+5", "0x10", "1e3", "1.5", "", " 5", "9223372037", "18446744074", "1700000000", "1, 2",
		"Thu, 16 Jul 2026 12:00:07 GMT", "Thursday, 16-Jul-26 12:00:07 GMT", "Thu Jul 16 12:00:07 2026",
		"Thu, 16 Jul 2026 12:00:07 PST", "Thursday, 06-Nov-70 12:00:00 GMT", "Thu, 16 Jul 2026 23:59:60 GMT",
	} {
		f.Add(seed, date, "0")
	}
	f.Fuzz(func(t *testing.T, value, date, age string) {
		h := http.Header{"Retry-After": {value}, "Date": {date}, "Age": {age}}
		wait := waitOf(h, received)
		if wait < ignored {
			t.Fatalf("%q: wait %v", value, wait)
		}
		h = http.Header{"Retry-After": {value}}
		wait = waitOf(h, received)
		at, err := http.ParseTime(value)
		if err != nil || wait == ignored || !strings.HasSuffix(value, "GMT") || strings.Contains(value, "-") {
			return
		}
		if want := max(at.Sub(received), 0); wait != want {
			t.Fatalf("%q: wait %v, want %v", value, wait, want)
		}
	})
}
