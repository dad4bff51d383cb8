import type { IncomingHttpHeaders } from 'node:http';

/**
 * What the server needs of a request and its response: the part that `node:http` and the compatibility API
 * of `node:http2` have in common, so that every protocol runs over both.
 */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersionMajor: number;
  /** HTTP/2 only. */
  readonly stream?: { readonly session?: { close(): void } | undefined } | undefined;
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface HttpResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** HTTP/1 only: HTTP/2 sends headers as they are written. */
  flushHeaders?(): void;
  write(chunk: Buffer, written?: () => void): boolean;
  addTrailers(trailers: Record<string, string>): void;
  end(): unknown;
  end(chunk: Buffer | string): unknown;
  destroy(): unknown;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}
