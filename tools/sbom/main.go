// Sbom writes the bill of materials of a Go program, as CycloneDX JSON on stdout: the modules that the linker put into
// the program, and the Go release that built it. It reads what the binary says of itself, so it names what is shipped, and
// no serial number or time is in it, so that the same binary gives the same bytes.
//
//	go run ./sbom -version 202604.01.0 check-hotfix
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"flag"
	"io"
	"log"
	"os"
	"path"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/package-url/packageurl-go"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("sbom: ")
	version := flag.String("version", "", "the program's `version`; the binary has none of its own")
	flag.Parse()
	if flag.NArg() != 1 || *version == "" {
		log.Fatal("usage: sbom -version VERSION BINARY")
	}
	if err := write(os.Stdout, flag.Arg(0), *version); err != nil {
		log.Fatal(err)
	}
}

func write(w io.Writer, binary, version string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	sum, err := sha256Of(binary)
	if err != nil {
		return err
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: program(info, version, sum)}
	components := []cyclonedx.Component{standardLibrary(info)}
	for _, m := range info.Deps {
		components = append(components, library(m))
	}
	bom.Components = &components
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).Encode(bom)
}

// program is the subject of the bill. Its build settings tell which machine the binary is for.
func program(info *buildinfo.BuildInfo, version, sum string) *cyclonedx.Component {
	purl := packageURL(info.Main.Path, version)
	var settings []cyclonedx.Property
	for _, s := range info.Settings {
		settings = append(settings, cyclonedx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	return &cyclonedx.Component{
		BOMRef: purl, Type: cyclonedx.ComponentTypeApplication, Name: path.Base(info.Path), Version: version, PackageURL: purl,
		Hashes: &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sum}}, Properties: &settings,
	}
}

// standardLibrary is what security advisories for Go itself are filed under.
func standardLibrary(info *buildinfo.BuildInfo) cyclonedx.Component {
	return library(&debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")})
}

func library(m *debug.Module) cyclonedx.Component {
	if m.Replace != nil {
		m = m.Replace
	}
	purl := packageURL(m.Path, m.Version)
	c := cyclonedx.Component{
		BOMRef: purl, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: purl,
	}
	if m.Sum != "" { // as in go.sum: a hash of the module's tree, which CycloneDX has no algorithm for
		c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}}
	}
	return c
}

func packageURL(module, version string) string {
	namespace, name := path.Split(module)
	return packageurl.NewPackageURL(packageurl.TypeGolang, strings.TrimSuffix(namespace, "/"), name, version, nil, "").ToString()
}

func sha256Of(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
