module github.com/retry-lab/retry-lab

go 1.26
