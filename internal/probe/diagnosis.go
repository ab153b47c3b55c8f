package probe

import (
	"net"
	"slices"
	"strings"

	"github.com/bootpointer/bootpointer/transport"
)

// finding says in one sentence what a fault means and what to do next. An empty reason, hint or transport stands for any.
// In the sentences {why} is what came back, {code} the status, {dial} the host and port that are dialled, {dialled} the host alone, {sni}
// the name on the wire, {name} the pinned name, {metadata} the metadata service, {config} the node config that was read,
// {file} the pointer file, {current} and {resolved} the versions of this node.
type finding struct {
	layer, reason, hint, transport string
	sentence, next                 string
	command                        string // to be copied, for next
}

// findings is the table of all diagnoses. The first one that fits counts, so what is special stands before what is general.
func findings() []finding {
	return slices.Concat(healthyFindings(), nodeFindings(), networkFindings(), tlsFindings(), callFindings(), fileFindings())
}

// askMetadata shows who answers, by status and headers, and keeps the document to itself.
const askMetadata = "curl -sS --max-time 5 --noproxy '*' -H Metadata:true -D - -o /dev/null '{ask}'"

// The hints that more than the table knows.
const (
	hintUpgrade     = "upgrade"
	hintCurrent     = "current"
	hintNoBase      = "no-base"
	hintNoVersion   = "no-version"
	hintRefused     = "refused"
	hintNothing     = "nothing"
	hintInterrupted = "interrupted"
	hintFinal       = "final"    // a verdict that is authoritative
	hintTogether    = "together" // every layer is in time, and all of them are not
)

func healthyFindings() []finding {
	return []finding{
		{hint: hintInterrupted, sentence: "The probe was interrupted before it had come to an end.",
			next: "Run it again; what it had found so far is in this report."},
		{hint: hintUpgrade, sentence: "All is well: the service has hotfix {resolved} for this node, which runs {current}.",
			next: "check-hotfix stages it; what is staged already is shown by check-hotfix explain."},
		{hint: hintCurrent, sentence: "All is well: the service has {resolved} for this node, which is no upgrade for {current}.",
			next: "Nothing to do. If a newer hotfix was expected, ask its publisher whether it is out in this region."},
		{hint: hintNoVersion, sentence: "The service has hotfixes, and none of them can be for this node: its version {current} is not YYYYMM.DD.PATCH.",
			next: "Install the packaged binary, which has its version built in, or set CHECK_HOTFIX_CURRENT_VERSION to that of the node's program."},
		{hint: hintNoBase, sentence: "All is well: the service has hotfixes, but none for the base of this node's version {current}.",
			next: "Nothing to do. If one was expected, compare this node's version with the bases that were published."},
		{hint: hintRefused, sentence: "The service answered, but it does not accept this node's identity ({code}), which a check takes for nothing being published.",
			next: "If a hotfix was expected: see whether this node's clock is right and the attested document valid, then ask the service's owner whether this node is known."},
		{hint: hintNothing, sentence: "All is well: the service answered, and nothing is published for this node.",
			next: "Nothing to do. If a hotfix was expected, ask its publisher whether it is out in this region and for this component."},
	}
}

func nodeFindings() []finding {
	return []finding{
		{layer: LayerConfig, hint: "no-file", sentence: "This node has no config, so a check does not know whom to ask.",
			next: "See in cloud-init's log whether provisioning wrote it, or say where it is with --node-config or --nbc-cmd."},
		{layer: LayerConfig, hint: "hangs", sentence: "Reading the node config hangs.",
			next: "See which file system it is on and whether that answers."},
		{layer: LayerConfig, hint: "host", sentence: "The node config {config} names no usable API server.",
			next: "Correct that field ({why}), or have the node provisioned again."},
		{layer: LayerConfig, sentence: "The node config is there and cannot be read.",
			next: "Check its permissions and that it is whole ({why}), or have the node provisioned again."},

		{layer: LayerCA, reason: "config", sentence: "The node config {config} has no usable CA certificate, so nobody could be trusted and nothing is dialled.",
			next: "Put the cluster's CA into kubernetes_ca_cert (KUBE_CA_CRT in an nbc-cmd.sh), or have the node provisioned again."},
		{layer: LayerCA, reason: "cert-expired", sentence: "The cluster's CA in the node config has expired, by this node's clock.",
			next: "If the clock is right, have the node provisioned again with the CA that the cluster has now."},
		{layer: LayerCA, reason: "cert-not-yet-valid", sentence: "The cluster's CA in the node config is not valid yet, by this node's clock.",
			next: "Set the clock: see timedatectl, and whether the host's time source is reached."},

		{layer: LayerMetadata, hint: "silent", sentence: "The metadata service at {metadata} does not answer in the time that a check has for it.",
			next: "Ask it by hand, and see whether a firewall, an iptables rule or another agent stands in between.", command: askMetadata},
		{layer: LayerMetadata, hint: "reset", sentence: "What answers at {metadata} resets the connection instead of answering.",
			next: "Ask it by hand, and see whether a proxy, an iptables rule or another agent stands in between.", command: askMetadata},
		{layer: LayerMetadata, hint: "unreachable", sentence: "The metadata service at {metadata} cannot be reached.",
			next: "Check the address, the route to it and the rules of the node's firewall."},
		{layer: LayerMetadata, hint: "redirect", sentence: "Something else than the metadata service answers at {metadata}: it redirects.",
			next: "Find the proxy or portal that intercepts the address; redirects are never followed."},
		{layer: LayerMetadata, hint: "throttled", sentence: "The metadata service limits this node's requests (HTTP {code}).",
			next: "Find out which process on the node asks it all the time."},
		{layer: LayerMetadata, hint: "down", sentence: "The metadata service answers HTTP {code}: it does not do its work at the moment.",
			next: "Try again in a few minutes; if it stays so, it is a matter for the platform, with the node's host and the time."},
		{layer: LayerMetadata, hint: "refused", sentence: "The metadata service refuses the request (HTTP {code}).",
			next: "Ask by hand whether the attested document can be had on this node and in this cloud.", command: askMetadata},
		{layer: LayerMetadata, sentence: "What answers at {metadata} sends no usable attested document.",
			next: "Ask it by hand, and look by the headers who answers: a proxy, a portal or an emulator in the metadata service's place.", command: askMetadata},
	}
}

func networkFindings() []finding {
	return []finding{
		{layer: LayerDNS, hint: "not-found", sentence: "The name to dial, {dialled}, does not exist in DNS.",
			next: "Compare it with the cluster's; for a private cluster, see whether its DNS zone is linked to the node's network."},
		{layer: LayerDNS, hint: "silent", sentence: "No name server answers, so the API server's address is not known.",
			next: "Check the name servers in /etc/resolv.conf and that port 53 to them is open from this node."},
		{layer: LayerDNS, hint: "unreachable", sentence: "No name server can be reached, so the API server's address is not known.",
			next: "Check the name servers in /etc/resolv.conf: whether the local one runs yet, and with ip route whether there is a way to the others."},
		{layer: LayerDNS, sentence: "The name server cannot resolve {dialled}: it answers with an error of its own.",
			next: "Ask it by hand with dig or nslookup, and look at the name server and those behind it."},

		{layer: LayerTCP, hint: "refused", sentence: "The API server's front refuses connections: nothing listens at {dial}.",
			next: "See whether the cluster is stopped or its front is restarting, and whether the address is the right one."},
		{layer: LayerTCP, hint: "silent", sentence: "Nothing answers at {dial}: packets to the API server's front are swallowed.",
			next: "Check security groups, firewall and routes between this node and the front."},
		{layer: LayerTCP, hint: "unreachable", sentence: "This node has no route to the API server's front at {dial}.",
			next: "Check the node's network: ip route, and whether the interface is up."},
		{layer: LayerTCP, sentence: "No connection to the API server's front comes about.",
			next: "Check the node's network and the rules on the way to {dial}."},
	}
}

func tlsFindings() []finding {
	return []finding{
		{layer: LayerTLS, reason: "deadline", sentence: "The front takes connections and is silent in the TLS handshake.",
			next: "Check the proxy at {dial}: it hangs, is overloaded, or the port is not that of the front."},
		{layer: LayerTLS, reason: "connect", sentence: "The front closes the connection in the TLS handshake.",
			next: "Check the proxy's log: it has no backend for SNI {sni} and this ALPN, or its backend is down."},
		{layer: LayerTLS, reason: "cert-name", hint: "api-server", transport: "https",
			sentence: "The front answers with the API server's own certificate: it does not know the name {sni}.",
			next:     "Check that the proxy's route for that SNI is deployed in this region."},
		{layer: LayerTLS, reason: "cert-name", hint: "api-server",
			sentence: "The front answers with the API server's own certificate: it does not know the ALPN protocol aks-live-patching.",
			next:     "Check that the proxy's route for it is deployed in this region."},
		{layer: LayerTLS, reason: "cert-name", hint: "no-names", sentence: "The service's certificate has no names in it, and its common name does not count.",
			next: "Have the certificate issued anew, with {name} as a DNS name."},
		{layer: LayerTLS, reason: "cert-name", sentence: "The certificate is the cluster's, but for another name than {name}.",
			next: "See the names it is for: the proxy leads to another service, or the certificate was issued wrongly."},
		{layer: LayerTLS, reason: "cert-untrusted", hint: "usage", sentence: "The service's certificate is not meant for servers.",
			next: "Have it issued anew, with the extended key usage serverAuth."},
		{layer: LayerTLS, reason: "cert-untrusted", hint: "rotated", sentence: "The certificate is signed by a CA with the right name and another key than the one in the node config.",
			next: "The cluster's CA was probably rotated: have the node provisioned again with the new one."},
		{layer: LayerTLS, reason: "cert-untrusted", sentence: "The certificate does not lead to the cluster's CA in the node config.",
			next: "See its issuer: an intercepting proxy has one of its own; if it is the service's, the intermediate certificate is not sent along."},
		{layer: LayerTLS, reason: "cert-expired", sentence: "The service's certificate has expired, by this node's clock.",
			next: "Compare the clock; if it is right, the service's certificate has to be renewed."},
		{layer: LayerTLS, reason: "cert-not-yet-valid", sentence: "The service's certificate is not valid yet, by this node's clock.",
			next: "Compare the clock: it is probably behind. See timedatectl."},
		{layer: LayerTLS, sentence: "The TLS handshake with the front fails before it shows a certificate.",
			next: "Check what listens at {dial}: it speaks no TLS 1.2 or later, or no TLS at all."},

		{layer: LayerALPN, hint: "refused", sentence: "The front refuses every protocol that the check offers in ALPN.",
			next: "Check the proxy's ALPN settings, and that its route for aks-live-patching is deployed in this region."},
		{layer: LayerALPN, sentence: "The certificate is right, but no protocol was selected in ALPN: the service, or a proxy before it, does TLS without ALPN.",
			next: "Turn on ALPN where TLS ends, with aks-live-patching and h2."},
	}
}

func callFindings() []finding {
	return []finding{
		{layer: LayerCall, reason: "config", sentence: "The component cannot be asked for over this transport.",
			next: "Use the default component, or --transport grpc."},
		{layer: LayerCall, reason: "identity", sentence: "The token cannot be presented to the service.",
			next: "Look at the metadata service: its signature has characters in it that no header may have."},
		{layer: LayerCall, reason: "http-status", transport: "grpc", sentence: "A web page or proxy answers in the service's place (HTTP {code}): that is no verdict of the service.",
			next: "Find out whose answer it is; its first words are in the layer call."},
		{layer: LayerCall, reason: "http-status", sentence: "HTTP {code} came instead of a verdict: the service, or a proxy before it, does not do its work.",
			next: "Find out whose answer it is by its first words in the layer call, and look at the health of what answers."},
		{layer: LayerCall, reason: "deadline", hint: hintTogether,
			sentence: "Each layer is in time, but a check has {timeout} for all of them together, and would run out of it.",
			next:     "See which layer takes longest, metadata or call, and make it faster; or give the check more time with CHECK_HOTFIX_TIMEOUT."},
		{layer: LayerCall, reason: "deadline", sentence: "The connection is verified, and no answer comes in time.",
			next: "Look at the service's health and load; a proxy before it may also keep the request to itself."},
		{layer: LayerCall, reason: "connect", sentence: "The connection is verified, and breaks before the answer.",
			next: "Look at the service and the proxy before it: restarting, out of capacity, or closing streams by a rule."},
		{layer: LayerCall, reason: "status", hint: hintFinal, sentence: "The service refuses the request ({code}), which rules out the fallback too.",
			next: "Take it up with the service's owner; its words are in the layer call."},
		{layer: LayerCall, reason: "status", sentence: "The service itself answers {code}.",
			next: "Look at the service's health and log, or ask its owner; its words are in the layer call."},

		{layer: LayerPointer, reason: "malformed", sentence: "The service was reached, and what it sent cannot be used.",
			next: "Have its publisher correct the document; nothing is staged, and the fallback is not used."},
	}
}

func fileFindings() []finding {
	return []finding{
		{layer: LayerFile, reason: reasonNoFolder, sentence: "The pointer could not be staged: {why}.",
			next: "Make the folder, or say with --pointer where the file belongs."},
		{layer: LayerFile, reason: reasonNotWritten, sentence: "The pointer could not be staged, as nothing may be written there.",
			next: "Run the check as root; if it is, see whether the file system is mounted read-only."},
		{layer: LayerFile, reason: reasonIrregular, sentence: "The pointer could not be staged: {why}.",
			next: "Remove what stands in the pointer file's place, and find out who put it there."},
		{layer: LayerFile, reason: reasonOwner, sentence: "The pointer could not be staged: the file belongs to another user or group.",
			next: "Run the check as root, or as the owner of {file}, in its group."},
		{layer: LayerFile, reason: reasonNotStaged, sentence: "The pointer could not be staged: {why}.",
			next: "Look at {file}; where there is none, a check makes a new one."},
		{layer: LayerFile, reason: reasonHangs, sentence: "Looking at the pointer file hangs.",
			next: "See which file system {file} is on and whether that answers."},
		{layer: LayerFile, sentence: "The pointer file cannot be read, so nothing could be merged into it.",
			next: "Look at {file} and its permissions."},
	}
}

// diagnose says whether a check would get on, and what to do if not. In the chain of transports the first that answered
// counts; without an answer, the first layer that failed does. late says that a check would not wait for that answer.
func (p *run) diagnose(r *Report, answer *call, late, interrupted bool) {
	var failed []*Layer
	for i := range r.Layers {
		if r.Layers[i].Status == Failed {
			failed = append(failed, &r.Layers[i])
		}
	}
	answeredWell := answer != nil && (answer.attempt.Err == nil || answer.Status != Failed)
	switch {
	case interrupted:
		r.Diagnosis = p.apply(finding{hint: hintInterrupted}, nil)
	case late:
		l := answer.Layer
		l.Reason, l.hint = string(transport.ReasonDeadline), hintTogether
		r.Diagnosis = p.diagnosisOf(&l)
	case answeredWell && !slices.ContainsFunc(failed, needed):
		r.Healthy = true
		r.Diagnosis = p.apply(finding{hint: healthyHint(r, answer)}, &answer.Layer)
	case answeredWell:
		first := slices.IndexFunc(failed, needed)
		r.Diagnosis = p.diagnosisOf(failed[first])
		failed = slices.Delete(failed, first, first+1)
	case len(failed) > 0:
		r.Diagnosis = p.diagnosisOf(failed[0])
		failed = failed[1:]
	}
	for _, l := range failed {
		if s := p.diagnosisOf(l).Sentence; s != r.Diagnosis.Sentence && !slices.Contains(r.Diagnosis.Also, s) {
			r.Diagnosis.Also = append(r.Diagnosis.Also, s)
		}
	}
	for _, l := range r.Layers {
		if l.Status == Warning && l.hint != hintRefused && l.hint != hintNoVersion { // these are the diagnosis
			r.Diagnosis.Also = append(r.Diagnosis.Also, l.Title()+": "+l.Result)
		}
	}
}

// needed reports whether a fault in the layer matters in spite of an answer.
func needed(l *Layer) bool { return l.Name == LayerFile || l.Name == LayerPointer }

// healthyHint says what kind of answer it was.
func healthyHint(r *Report, answer *call) string {
	if answer.hint != "" {
		return answer.hint
	}
	for _, l := range r.Layers {
		if l.Name == LayerPointer && l.hint != "" {
			return l.hint
		}
	}
	return hintNothing
}

// diagnosisOf returns what the table has for a failed layer.
func (p *run) diagnosisOf(l *Layer) Diagnosis {
	d := p.apply(finding{layer: l.Name, reason: l.Reason, hint: l.hint, transport: l.Transport}, l)
	d.Layer, d.Transport, d.Reason = l.Name, l.Transport, l.Reason
	return d
}

// apply fills in the finding that fits what is asked for.
func (p *run) apply(asked finding, l *Layer) Diagnosis {
	all := findings()
	i := slices.IndexFunc(all, func(f finding) bool {
		return f.layer == asked.layer && anyOr(f.reason, asked.reason) && anyOr(f.hint, asked.hint) && anyOr(f.transport, asked.transport)
	})
	if i < 0 {
		return Diagnosis{Sentence: "Nothing fits what was found; see the layers.", Next: "Look at the first layer that is not ok."}
	}
	words := strings.NewReplacer(p.words(l)...)
	return Diagnosis{Sentence: words.Replace(all[i].sentence), Next: words.Replace(all[i].next), Command: words.Replace(all[i].command)}
}

func anyOr(pattern, value string) bool { return pattern == "" || pattern == value }

// words are the replacements for the sentences.
func (p *run) words(l *Layer) []string {
	if l == nil {
		l = &Layer{}
	}
	sni := p.config.Host
	for _, t := range p.Transports {
		if t.Name == l.Transport {
			sni = t.Hello(p.config.Host).SNI
		}
	}
	host, _, _ := net.SplitHostPort(p.Front.Address(p.config.Host))
	return []string{"{why}", strings.TrimSuffix(l.Result, "."), "{code}", l.Code, "{dial}", p.Front.Address(p.config.Host),
		"{dialled}", host, "{sni}", sni, "{name}", p.Front.ServerName(), "{metadata}", p.Metadata,
		"{ask}", p.AskMetadata, "{timeout}", p.share.String(), "{config}", p.config.Path,
		"{file}", p.Pointer, "{current}", p.CurrentVersion, "{resolved}", p.resolved}
}
