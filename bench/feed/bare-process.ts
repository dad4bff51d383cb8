import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerUsage } from '../measure.ts';

// The limit: node's own server, which sends each text that the parent gives it to all who are connected.
const readers = new Set<ServerResponse>();
const server = createServer((_req, res) => {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  res.write('retry: 2000\n\n');
  readers.add(res);
  res.on('close', () => readers.delete(res));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
process.on('message', ({ frame }: { frame?: string }) => {
  if (frame === undefined) return;
  const bytes = Buffer.from(frame);
  for (const res of readers) res.write(bytes);
});
answerUsage();
process.once('disconnect', () => process.exit(0));
