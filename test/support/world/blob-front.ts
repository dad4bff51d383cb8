import { createServer } from 'node:http';
import { listenLocally } from '../listen-locally.ts';

/** Ways in which a server before the blob store answers wrongly. `cut short`: the length that it announces is right. */
export const blobMistakes = ['fails', 'answers other bytes', 'cuts blobs short', 'has no blob'] as const;
type BlobMistake = (typeof blobMistakes)[number];

/** An HTTP server before the blob store, as an aggregator or a cache is. */
export interface BlobFront {
  url: string;
  /** Sets how it answers from now on. Undefined: as the blob store does. */
  mistake(mistake: BlobMistake | undefined): void;
  close(): Promise<void>;
}

export async function startBlobFront(target: string): Promise<BlobFront> {
  let current: BlobMistake | undefined;
  const server = createServer(async (req, res) => {
    if (current === 'fails') return res.writeHead(500).end();
    if (current === 'has no blob') return res.writeHead(404).end();
    if (current === 'answers other bytes') return res.writeHead(200).end('<p>Please try again</p>');
    const read = await readBlob(target + req.url).catch(() => undefined);
    if (!read) return res.writeHead(502).end();
    const { status, body } = read;
    res.writeHead(status, { 'content-length': body.length });
    if (current === 'cuts blobs short')
      return res.write(body.subarray(0, body.length / 2), () => res.destroy());
    res.end(body);
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    mistake(mistake) {
      current = mistake;
    },
    close,
  };
}

/** @throws Error if the blob store ends before or during its answer */
async function readBlob(url: string): Promise<{ status: number; body: Buffer }> {
  const answer = await fetch(url);
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
}
