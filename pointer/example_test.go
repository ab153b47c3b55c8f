package pointer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bootpointer/bootpointer/pointer"
)

func ExampleParse() {
	p, warnings, err := pointer.Parse([]byte(`{"hotfixes":{"202604.01":"202604.01.1","202605.01":"202605.01.007"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(warnings[0])
	for _, current := range []string{"202604.01.0", "202604.01.1", "202605.01.0"} {
		version, ok := p.Resolve(current)
		fmt.Printf("%s: %q %t, upgrade %t\n", current, version, ok, pointer.ShouldUpgrade(current, version))
	}
	// Output:
	// entry "202605.01": left out, "202605.01.007" is not a version of that base
	// 202604.01.0: "202604.01.1" true, upgrade true
	// 202604.01.1: "202604.01.1" true, upgrade false
	// 202605.01.0: "" false, upgrade false
}

func ExampleStager_Stage() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "aks-node-controller-hotfix.json")
	if err := os.WriteFile(path, []byte(`{"scripts_version":"202604.01.7"}`), 0o644); err != nil {
		fmt.Println(err)
		return
	}

	stager, err := pointer.NewStager(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := pointer.Pointer{Hotfixes: map[string]string{"202604.01": "202604.01.1"}}
	for range 2 {
		changed, err := stager.Stage(context.Background(), p)
		fmt.Println(changed, err)
	}
	text, _ := os.ReadFile(path)
	fmt.Println(string(text))
	// Output:
	// true <nil>
	// false <nil>
	// {"scripts_version":"202604.01.7","hotfixes":{"202604.01":"202604.01.1"}}
}

func ExampleReadFileBytes() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "aks-node-controller-hotfix.json")
	if err := os.WriteFile(path, []byte(`{"version":"202604.01.5"}`), 0o644); err != nil {
		fmt.Println(err)
		return
	}

	text, err := pointer.ReadFileBytes(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _, err := pointer.ParseFile(text)
	fmt.Printf("%s has version %s %v\n", text, p.Version, err)
	// Output:
	// {"version":"202604.01.5"} has version 202604.01.5 <nil>
}
