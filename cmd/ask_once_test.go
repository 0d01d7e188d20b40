package cmd

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

// askOnce is the whole of a client that retries nothing: the command ask-once.
func askOnce() int {
	body, err := os.Open(os.Getenv("RETRY_LAB_BODY_FILE"))
	if err != nil {
		return 2
	}
	req, err := http.NewRequest(os.Getenv("RETRY_LAB_METHOD"), os.Getenv("RETRY_LAB_URL"), body)
	if err != nil {
		return 2
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 1
	}
	_, err = io.Copy(os.Stdout, resp.Body)
	fmt.Print("\x1b[31m\x00\xff")
	if err != nil || resp.StatusCode/100 != 2 {
		return 1
	}
	return 0
}
