// Genproto writes the Go code of internal/lpspb. It needs no protoc: protocompile reads the .proto file, and the
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

const (
	source = "../internal/lpspb/livepatching.proto"
	output = "../internal/lpspb/livepatching.pb.go"
	// registered is the path under which programs that link the code know the file. It must be nobody else's.
	registered = "bootpointer/livepatching/v1/livepatching.proto"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("genproto: ")
	check := flag.Bool("check", false, "compare with the code there instead of writing it")
	flag.Parse()
	if err := generate(context.Background(), *check); err != nil {
		log.Fatal(err)
	}
}

func generate(ctx context.Context, check bool) error {
	file, err := compile(ctx)
	if err != nil {
		return err
	}
	code, err := runPlugin(ctx, file)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(filepath.FromSlash(output), []byte(code), 0o644)
	}
	there, err := os.ReadFile(filepath.FromSlash(output))
	if err == nil && string(there) != code {
		err = fmt.Errorf("%s is out of date: run make generate", output)
	}
	return err
}

func compile(ctx context.Context) (*descriptorpb.FileDescriptorProto, error) {
	text, err := os.ReadFile(filepath.FromSlash(source))
	if err != nil {
		return nil, err
	}
	compiler := protocompile.Compiler{
		Resolver: &protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(map[string]string{registered: string(text)}),
		},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, registered)
	if err != nil {
		return nil, err
	}
	return protodesc.ToFileDescriptorProto(files[0]), nil
}

func runPlugin(ctx context.Context, file *descriptorpb.FileDescriptorProto) (string, error) {
	request, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{registered},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{file},
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
