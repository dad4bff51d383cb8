import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { answerCpuTime } from '../measure.ts';

// The limit: node's own server, which sends the same bytes and headers and does nothing else.
const [url, encoding] = process.argv.slice(2);
const answer = await request(url!, { headers: { 'accept-encoding': encoding! } });
const body = Buffer.from(await answer.body.arrayBuffer());
const ownHeaders = ['connection', 'keep-alive', 'date', 'transfer-encoding'];
const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
  ownHeaders.includes(name) ? [] : [name, String(value)],
);

const server = createServer((_req, res) => {
  res.writeHead(200, headers);
  res.end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
answerCpuTime();
process.once('disconnect', () => {
  server.close();
  server.closeAllConnections();
});
