// Package e2e has the end-to-end tests: the real check-hotfix binary as a process, against peers that are not part of
// this project. See README.md; run them with "make e2e", as root on a Debian machine.
package e2e
