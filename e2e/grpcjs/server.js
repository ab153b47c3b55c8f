// A live-patching service on grpc-js. It prints one JSON object a line: first where it listens, then each call.
//
//   node server.js CERT KEY REPLIES
//
// REPLIES is a JSON list; each call takes the next, and the last one stays. A reply may have: code and message (a
// status that is not OK), echo (the token after the message), config (the document), bytes (a document of that size),
// hang (no answer).
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [cert, key, replies] = process.argv.slice(2);
const script = JSON.parse(replies);
const print = (object) => console.log(JSON.stringify(object));

function getComponentConfig(call, callback) {
  const component = call.request.component_name;
  const authorization = call.metadata.get('authorization');
  print({ component, authority: call.getHost(), authorization });
  const reply = script.length > 1 ? script.shift() : script[0];
  if (reply.hang) {
    return;
  }
  if (reply.code) {
    callback({ code: reply.code, details: (reply.message ?? '') + (reply.echo ? authorization[0] : '') });
    return;
  }
  const config = reply.bytes ? ' '.repeat(reply.bytes) : reply.config;
  callback(null, { component_name: component, config });
}

const definition = loader.loadSync(path.join(__dirname, 'livepatching.proto'), { keepCase: true });
const { LivePatchingService } = grpc.loadPackageDefinition(definition).akslivepatching.v1;
const credentials = grpc.ServerCredentials.createSsl(null, [
  { cert_chain: fs.readFileSync(cert), private_key: fs.readFileSync(key) },
]);
const server = new grpc.Server();
server.addService(LivePatchingService.service, { getComponentConfig });
server.bindAsync('127.0.0.1:0', credentials, (err, port) => {
  if (err) {
    throw err;
  }
  print({ address: `127.0.0.1:${port}` });
});
