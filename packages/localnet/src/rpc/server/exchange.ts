import type { IncomingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

/** What the server needs of a request and its response, as `node:http` has them: every protocol runs over both. */
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

/** A request and its response over HTTP/2. The compatibility API of `node:http2` makes two more streams for them. */
export class Http2Exchange implements HttpRequest, HttpResponse {
  readonly httpVersionMajor = 2;
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  #trailers: Record<string, string> = {};

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.stream = stream;
    this.headers = headers;
    // A broken stream also closes, which is what a call reacts to.
    stream.on('error', () => undefined);
    stream.on('wantTrailers', () => stream.sendTrailers(this.#trailers));
  }

  get method(): string | undefined {
    return this.#pseudoHeader(':method');
  }

  get url(): string | undefined {
    return this.#pseudoHeader(':path');
  }

  writeHead(status: number, headers: Record<string, string>): void {
    if (this.#isOver) return;
    this.stream.respond({ ...headers, ':status': status }, { waitForTrailers: true });
  }

  write(chunk: Buffer, written?: () => void): boolean {
    return this.#isOver || this.stream.write(chunk, written);
  }

  addTrailers(trailers: Record<string, string>): void {
    this.#trailers = trailers;
  }

  end(chunk?: Buffer | string): void {
    if (!this.#isOver) this.stream.end(chunk);
  }

  destroy(): void {
    this.stream.destroy();
  }

  on(event: string, listener: (...values: never[]) => void): void {
    this.stream.on(event, listener as () => void);
  }

  /** What a client reset can take nothing more: `respond` throws then. */
  get #isOver(): boolean {
    return this.stream.destroyed || this.stream.closed;
  }

  #pseudoHeader(name: string): string | undefined {
    return this.headers[name] as string | undefined;
  }
}
