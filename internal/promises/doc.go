// Package promises has no code: its tests hold the repository to what it promises as a whole. Who may import whom, that
// every exported name is documented and every library package has an example that runs, that a change of the API
// shows as a diff of testdata/api.txt, and that docs/compatibility.md and DESIGN.md list all they claim to list.
package promises
