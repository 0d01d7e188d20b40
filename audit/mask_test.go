package audit

import (
	"slices"
	"testing"
)

func TestCommandsAreShownWithoutCredentials(t *testing.T) {
	rows := []struct{ command, want []string }{
		{[]string{"curl", "-H", "Authorization: Bearer x", "{url}"}, []string{"curl", "-H", "Authorization: …", "{url}"}},
		{[]string{"curl", "-HCookie: a=b", "-b", "{body_file}"}, []string{"curl", "-HCookie: …", "-b", "{body_file}"}},
		{[]string{"curl", "-H", "X-Api-Key:k", "--cookie", "a=b", "-b", "a=b"}, []string{"curl", "-H", "X-Api-Key:…", "--cookie", "…", "-b", "…"}},
		{[]string{"curl", "-u", "me:secret", "--user=me:secret", "--oauth2-bearer", "t"}, []string{"curl", "-u", "…", "--user=…", "--oauth2-bearer", "…"}},
		{[]string{"client", "--token={key}", "--password", "p"}, []string{"client", "--token=…", "--password", "…"}},
		{[]string{"python3", "-u", "client.py", "{url}"}, []string{"python3", "-u", "client.py", "{url}"}},
		{[]string{"curl", "-H", "Idempotency-Key: {key}", "{url}"}, []string{"curl", "-H", "Idempotency-Key: {key}", "{url}"}},
	}
	for _, row := range rows {
		if got := maskAll(row.command); !slices.Equal(got, row.want) {
			t.Errorf("%q is shown as %q, want %q", row.command, got, row.want)
		}
	}
}
