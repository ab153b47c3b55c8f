package probe

import (
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"time"
)

// signedData is the beginning of a PKCS#7 message (RFC 2315, 7 and 9.1), as far as its content.
type signedData struct {
	Type    asn1.ObjectIdentifier
	Content struct {
		Version    int
		Algorithms asn1.RawValue
		Inner      struct {
			Type    asn1.ObjectIdentifier
			Content []byte `asn1:"explicit,optional,tag:0"`
		}
		Certificates asn1.RawValue `asn1:"optional,tag:0"`
		Revoked      asn1.RawValue `asn1:"optional,tag:1"`
		Signers      asn1.RawValue
	} `asn1:"explicit,tag:0"`
}

// documentTime is how the metadata service writes a time, for example "11/20/18 22:08:24 -0000".
const documentTime = "01/02/06 15:04:05 -0700"

// documentTimes returns when the attested document in a signature was made and when it expires, and false where that
// cannot be read. Nothing is verified: it is for people. A signature has at most 64 KiB, and so has what is decoded of it.
func documentTimes(signature string) (created, expires time.Time, ok bool) {
	der, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return created, expires, false
	}
	var message signedData
	if _, err := asn1.Unmarshal(der, &message); err != nil {
		return created, expires, false
	}
	var document struct {
		TimeStamp struct{ CreatedOn, ExpiresOn string }
	}
	if err := json.Unmarshal(message.Content.Inner.Content, &document); err != nil {
		return created, expires, false
	}
	created, err = time.Parse(documentTime, document.TimeStamp.CreatedOn)
	if err != nil {
		return created, expires, false
	}
	expires, err = time.Parse(documentTime, document.TimeStamp.ExpiresOn)
	return created, expires, err == nil
}
