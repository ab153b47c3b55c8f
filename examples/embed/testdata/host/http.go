//go:build http

package main

import "net/http"

func init() {
	get = func(url string) error {
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
}
