import { once } from 'node:events';
import { createServer } from 'node:http';
import { formatHost, listenOn, type Port } from '@adaptor-marketplace/process';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { messageOf } from '../internal/errors.ts';
import { type BlobFolder, BlobTooLarge, isBlobId, openBlobFolder } from './folder.ts';
import { receiptFor, storeQuery } from './receipts.ts';

export interface BlobStoreOptions {
  /** Where blobs are kept; made if it is not there. */
  dir: string;
  host: string;
  port: Port;
}

export interface BlobStore {
  /** Publisher and aggregator in one, without a trailing slash. */
  url: string;
  close(): Promise<void>;
}

/** What public Walrus services take. */
const blobBytesMax = 10 * 1024 * 1024;

/**
 * A blob store that speaks the HTTP API of Walrus' publishers and aggregators, for the local network:
 * `PUT /v1/blobs`, `GET` and `HEAD /v1/blobs/{blobId}`. Blob ids are the sha256 of the content; a real one
 * has the same form but comes from the erasure coding, so the same content has another id there. Blobs stay
 * for ever, whatever was asked.
 */
export async function startBlobStore({ dir, host, port }: BlobStoreOptions): Promise<BlobStore> {
  const server = createServer(createApp(await openBlobFolder(dir)));
  const { port: bound } = await listenOn(server, port, host);
  return {
    url: `http://${formatHost(host)}:${bound}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function createApp(folder: BlobFolder) {
  const app = express();
  app.disable('x-powered-by');
  app.use((_request, response, next) => {
    response.set({ 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' });
    next();
  });
  app
    .route('/v1/blobs')
    .put((request, response) => storeBlob(folder, request, response))
    .all((_request, response) => refuse(response, 405, 'UNIMPLEMENTED', 'use PUT to store a blob'));
  app
    .route('/v1/blobs/:blobId')
    .get((request, response) => sendBlob(folder, request.params.blobId, response))
    .all((_request, response) => refuse(response, 405, 'UNIMPLEMENTED', 'use GET or HEAD to read a blob'));
  app.use(({ path }, response) => refuse(response, 404, 'NOT_FOUND', `no resource at ${path.slice(0, 200)}`));
  const failed: ErrorRequestHandler = (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    refuse(response, 500, 'INTERNAL', messageOf(error));
  };
  app.use(failed);
  return app;
}

async function storeBlob(folder: BlobFolder, request: Request, response: Response): Promise<void> {
  const query = storeQuery.safeParse(request.query);
  if (!query.success) {
    const reasons = query.error.issues.map(({ path, message }) => [...path, message].join(': '));
    return refuse(response, 400, 'INVALID_ARGUMENT', reasons.join('; '));
  }
  try {
    // The socket outlives the loop, so that a body that grows too large can still be answered.
    const body = request.iterator({ destroyOnReturn: false });
    response.json(receiptFor(await folder.put(body, blobBytesMax), query.data));
  } catch (error) {
    if (!(error instanceof BlobTooLarge)) throw error;
    response.set('connection', 'close');
    refuse(response, 413, 'INVALID_ARGUMENT', `the blob exceeds the limit of ${blobBytesMax} bytes`);
  }
}

async function sendBlob(folder: BlobFolder, blobId: string, response: Response): Promise<void> {
  if (!isBlobId(blobId))
    return refuse(response, 400, 'INVALID_ARGUMENT', 'a blob id is 32 bytes in URL-safe base64');
  if (!(await folder.has(blobId))) {
    const message = 'the requested blob ID does not exist on Walrus, ensure that it was entered correctly';
    return refuse(response, 404, 'NOT_FOUND', message, 'BLOB_NOT_FOUND');
  }
  response.set({
    'content-type': 'application/octet-stream',
    'cache-control': 'public, max-age=86400, immutable',
    etag: `"${blobId}"`,
  });
  response.sendFile(blobId, { root: folder.dir, lastModified: false, cacheControl: false });
}

/** Walrus' error envelope, after google.rpc.Status. */
function refuse(response: Response, code: number, status: string, message: string, reason = status): void {
  const details = [{ '@type': 'ErrorInfo', reason, domain: 'daemon.walrus.space', metadata: {} }];
  response.status(code).json({ error: { status, code, message, details } });
}
