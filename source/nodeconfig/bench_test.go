package nodeconfig

import "testing"

func BenchmarkParseJSON(b *testing.B) {
	config := sample(b, "config-snake.json", encode(newCA(b, "cluster-ca")))
	// The size of a real one: 12 KiB.
	filler := make([]byte, 0, 12<<10)
	for len(filler) < 11<<10 {
		filler = append(filler, `"some_setting": {"enabled": true, "value": "some-value", "count": 7},`+"\n    "...)
	}
	config = append([]byte("{"+string(filler)), config[1:]...)
	b.ReportAllocs()
	b.SetBytes(int64(len(config)))
	for b.Loop() {
		c, err := ParseJSON(config)
		if err != nil || c.hostErr != nil || c.casErr != nil {
			b.Fatal(err, c.hostErr, c.casErr)
		}
	}
}

func BenchmarkParseNBCCmd300KiB(b *testing.B) {
	script := largeNBCCmd(encode(newCA(b, "cluster-ca")))
	b.ReportAllocs()
	b.SetBytes(int64(len(script)))
	for b.Loop() {
		c, err := ParseNBCCmd(script)
		if err != nil || c.hostErr != nil || c.casErr != nil {
			b.Fatal(err, c.hostErr, c.casErr)
		}
	}
}

func BenchmarkEndpoint(b *testing.B) {
	f := onDisk(b, nil, largeNBCCmd(encode(newCA(b, "cluster-ca"))))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Endpoint(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
