// Genproto writes the Go code of the .proto files. It needs no protoc: protocompile reads a file, and the
// protoc-gen-go pinned in this module's go.mod writes the code.
//
//	cd tools && go run ./genproto          # writes the code
//	cd tools && go run ./genproto -check   # fails if the code there is another
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// file is one .proto file and its code.
type file struct {
	source, output string
	// registered is the path under which programs that link the code know the file.
	registered string
}

// files are the messages under names of our own, which must be nobody else's, and the same messages under the
// service's names, as a host has them, for the test that both fit into one program.
var files = []file{
	{
		source: "../internal/lpspb/livepatching.proto", output: "../internal/lpspb/livepatching.pb.go",
		registered: "bootpointer/livepatching/v1/livepatching.proto",
	},
	{
		source: "../internal/lpspb/hostpb/livepatching.proto", output: "../internal/lpspb/hostpb/livepatching.pb.go",
		registered: "akslivepatching/v1/livepatching.proto",
	},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("genproto: ")
	check := flag.Bool("check", false, "compare with the code there instead of writing it")
	flag.Parse()
	for _, f := range files {
		if err := generate(context.Background(), f, *check); err != nil {
			log.Fatal(err)
		}
	}
}

func generate(ctx context.Context, f file, check bool) error {
	descriptor, err := compile(ctx, f)
	if err != nil {
		return err
	}
	code, err := runPlugin(ctx, descriptor)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(filepath.FromSlash(f.output), []byte(code), 0o644)
	}
	there, err := os.ReadFile(filepath.FromSlash(f.output))
	if err == nil && string(there) != code {
		err = fmt.Errorf("%s is out of date: run make generate", f.output)
	}
	return err
}

func compile(ctx context.Context, f file) (*descriptorpb.FileDescriptorProto, error) {
	text, err := os.ReadFile(filepath.FromSlash(f.source))
	if err != nil {
		return nil, err
	}
	compiler := protocompile.Compiler{
		Resolver: &protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(map[string]string{f.registered: string(text)}),
		},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, f.registered)
	if err != nil {
		return nil, err
	}
	return protodesc.ToFileDescriptorProto(files[0]), nil
}

func runPlugin(ctx context.Context, descriptor *descriptorpb.FileDescriptorProto) (string, error) {
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{descriptor.GetName()},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{descriptor},
	})
	if err != nil {
		return "", err
	}
	plugin := exec.CommandContext(ctx, "go", "tool", "protoc-gen-go")
	plugin.Stdin = bytes.NewReader(request)
	plugin.Stderr = os.Stderr
	reply, err := plugin.Output()
	if err != nil {
		return "", fmt.Errorf("protoc-gen-go: %w", err)
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(reply, &response); err != nil {
		return "", err
	}
	if response.Error != nil {
		return "", errors.New(response.GetError())
	}
	if len(response.File) != 1 {
		return "", fmt.Errorf("protoc-gen-go wrote %d files, expected one", len(response.File))
	}
	return response.File[0].GetContent(), nil
}
