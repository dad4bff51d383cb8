import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openDatabase } from '../../db/client.ts';
import type { Prepared } from '../listings/graph-data.ts';
import { answerCpuTime } from '../measure.ts';

// The limit: node's own server, which runs the statements of each query one after another, and sends their rows as JSON, with
// the headers of the graph. The path names the query.
const [databaseUrl, file] = process.argv.slice(2);
const prepared: Record<string, Prepared> = JSON.parse(await readFile(file!, 'utf8'));
const db = openDatabase(databaseUrl!, { max: 4 });

const server = createServer(async (req, res) => {
  const { statements, headers } = prepared[req.url!.slice(1)]!;
  JSON.parse(String(await buffer(req)));
  const read: unknown[] = [];
  for (const statement of statements) read.push((await db.pool.query({ ...statement })).rows);
  const body = Buffer.from(JSON.stringify({ data: { read } }));
  res.writeHead(200, [...headers, 'content-length', String(body.byteLength)]);
  res.end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
answerCpuTime();
process.once('disconnect', async () => {
  server.closeAllConnections();
  server.close();
  await db.close();
});
