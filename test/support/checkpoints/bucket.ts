import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Bucket {
  url: string;
  /** Content of the files by number. Tests may change it. */
  files: Map<number, Uint8Array>;
  /** Numbers of the requested files, in the order of the requests. */
  requested: number[];
  /** Answers in place of the file if it returns `true`. Tests may set it. */
  intervene: (sequence: number, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

/** An HTTP server of checkpoint files, `/<number>.binpb.zst`. */
export async function startBucket(files: ReadonlyMap<number, Uint8Array>): Promise<Bucket> {
  const server = createServer((request, response) => {
    const sequence = Number(/^\/bucket\/(\d+)\.binpb\.zst$/.exec(request.url ?? '')?.[1]);
    bucket.requested.push(sequence);
    if (bucket.intervene(sequence, response)) return;
    const file = bucket.files.get(sequence);
    if (file) response.setHeader('content-length', file.length).end(file);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bucket: Bucket = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`,
    files: new Map(files),
    requested: [],
    intervene: () => false,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return bucket;
}
