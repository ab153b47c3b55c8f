// Package clocktest plays a wall clock that is set while a test runs. It works on the real clock only: the times of a
// synctest bubble have no monotonic reading.
package clocktest
