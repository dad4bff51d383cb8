import { createServer, type ServerResponse } from 'node:http';
import { listenLocally } from '../listen-locally.ts';

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
  const { url, close } = await listenLocally(server);
  const bucket: Bucket = {
    url: `${url}/bucket`,
    files: new Map(files),
    requested: [],
    intervene: () => false,
    close,
  };
  return bucket;
}
