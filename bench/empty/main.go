// Command empty does nothing: what it costs is the process, the runtime and the harness.
package main

func main() {}
