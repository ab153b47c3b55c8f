package probe

import "github.com/bootpointer/bootpointer/internal/token"

// maxText is how much of one text is kept, in bytes: the longest error of a transport and a sentence around it.
const maxText = 1 << 10

// makePrintable makes every text of a report fit to show, whoever had a say in it: without the token, on one line, in
// printable characters, and bounded.
func makePrintable(r *Report, secret string) {
	quote := func(texts ...*string) {
		for _, t := range texts {
			*t = token.Quote(*t, secret, maxText)
		}
	}
	d := &r.Diagnosis
	quote(&r.CurrentVersion, &r.Component, &d.Sentence, &d.Next, &d.Command)
	for i := range d.Also {
		quote(&d.Also[i])
	}
	for i := range r.Layers {
		l := &r.Layers[i]
		quote(&l.Tried, &l.Result, &l.Code)
		for j, d := range l.Details {
			switch value := d.Value.(type) {
			case string:
				l.Details[j].Value = token.Quote(value, secret, maxText)
			case []string:
				list := make([]string, len(value))
				for k, text := range value {
					list[k] = token.Quote(text, secret, maxText)
				}
				l.Details[j].Value = list
			}
		}
	}
}
