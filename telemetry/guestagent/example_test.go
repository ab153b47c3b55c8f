package guestagent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bootpointer/bootpointer/telemetry/guestagent"
)

func Example() {
	dir, err := os.MkdirTemp("", "events")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()

	writer, err := guestagent.New(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	start := time.Date(2026, 4, 1, 10, 0, 0, 0, time.UTC)
	err = writer.Write(context.Background(), guestagent.Event{
		TaskName: "AKS.AKSNodeController.CheckHotfix",
		Level:    guestagent.Informational,
		Message:  "check-hotfix outcome=noHotfixAvailable",
		Start:    start,
		End:      start.Add(23 * time.Millisecond),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	content, _ := os.ReadFile(files[0])
	fmt.Print(string(content))
	// Output:
	// {"Timestamp":"2026-04-01 10:00:00.000","OperationId":"2026-04-01 10:00:00.023","Version":"1.23","TaskName":"AKS.AKSNodeController.CheckHotfix","EventLevel":"Informational","Message":"check-hotfix outcome=noHotfixAvailable","EventPid":"0","EventTid":"0"}
}
