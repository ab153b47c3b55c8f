package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// maxAnswer is the largest answer read in bytes, from the metadata service and from the live-patching service.
const maxAnswer = 1 << 20

const metadataPath = "/metadata/attested/document?api-version=2025-04-07"

// attestedSignature asks the metadata service at endpoint, such as "http://127.0.0.1:80", in HTTP/1.0: the answer is not
// chunked and ends with the connection.
func attestedSignature(endpoint string, deadline time.Time) (string, error) {
	address := strings.TrimPrefix(endpoint, "http://")
	if !strings.Contains(address, ":") {
		address += ":80"
	}
	conn, err := net.DialTimeout("tcp", address, time.Until(deadline))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(deadline); err != nil {
		return "", err
	}
	if _, err := io.WriteString(conn, "GET "+metadataPath+" HTTP/1.0\r\nHost: "+address+"\r\nMetadata: true\r\n\r\n"); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(io.LimitReader(conn, maxAnswer))
	if err != nil {
		return "", err
	}
	return signatureOf(answer)
}

// signatureOf returns the signature in an HTTP answer. Errors quote nothing of it.
func signatureOf(answer []byte) (string, error) {
	head, body, whole := bytes.Cut(answer, []byte("\r\n\r\n"))
	fields := bytes.Fields(head)
	if !whole || len(fields) < 2 {
		return "", errors.New("metadata: no HTTP answer")
	}
	if string(fields[1]) != "200" {
		return "", fmt.Errorf("metadata: HTTP status %.3q", fields[1])
	}
	var document struct{ Signature string }
	if err := json.Unmarshal(body, &document); err != nil || document.Signature == "" {
		return "", errors.New("metadata: no attested document")
	}
	return document.Signature, nil
}
