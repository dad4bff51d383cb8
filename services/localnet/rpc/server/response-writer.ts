import type { HttpResponse } from './exchange.ts';
import { GrpcError, GrpcStatusCode } from './status.ts';
import type { Wire } from './wire.ts';

/** Frames waiting for the end of the turn are written at once when they are this many bytes. */
const batchBytes = 32 * 1024;

/**
 * The sending side of one call: batches the frames of one turn of the event loop into one write, and makes
 * the sender wait while the reader has not taken what was written, so that memory stays bounded.
 */
export class ResponseWriter {
  readonly #response: HttpResponse;
  readonly #wire: Wire;
  readonly #headers: () => Record<string, string>;
  readonly #stallMs: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #flush: NodeJS.Immediate | undefined;
  #started = false;
  #blocked = false;
  #over = false;
  #wake: (() => void) | undefined;

  constructor(response: HttpResponse, wire: Wire, headers: () => Record<string, string>, stallMs: number) {
    this.#response = response;
    this.#wire = wire;
    this.#headers = headers;
    this.#stallMs = stallMs;
    // A broken connection also closes, which is what the call reacts to.
    response.on('error', () => undefined);
    response.on('drain', () => {
      this.#blocked = false;
      this.#wake?.();
    });
  }

  /** Calls back when the connection goes before the call has ended. */
  onGone(listener: () => void): void {
    this.#response.on('close', () => {
      if (this.#over) return;
      this.#over = true;
      listener();
    });
  }

  /** Sends the headers now, for streams whose first frame may take long. */
  start(): void {
    if (this.#started || this.#over) return;
    this.#started = true;
    this.#response.writeHead(200, this.#responseHeaders());
    this.#response.flushHeaders?.();
  }

  /** Returns a promise only when the caller must wait for the reader. */
  write(frame: Buffer, signal: AbortSignal): Promise<void> | undefined {
    if (this.#over) return undefined;
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
    if (this.#pendingBytes >= batchBytes) this.#writePending();
    else this.#flush ??= setImmediate(() => this.#writePending());
    return this.#blocked ? this.#drained(signal) : undefined;
  }

  /** Ends the response. A reader that does not read is cut off instead: its status would wait for ever. */
  finish(error: GrpcError | undefined): void {
    if (this.#over) return;
    if (error && this.#blocked) {
      clearImmediate(this.#flush);
      this.#over = true;
      this.#response.destroy();
      return;
    }
    this.#writePending();
    this.#over = true;
    this.#wire.finish(this.#response, this.#responseHeaders(), error);
  }

  #writePending(): void {
    clearImmediate(this.#flush);
    this.#flush = undefined;
    if (this.#over || this.#pending.length === 0) return;
    this.start();
    const frames = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (!this.#response.write(this.#wire.encodeMessages(frames))) this.#blocked = true;
  }

  #drained(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(stalled);
        signal.removeEventListener('abort', onAbort);
        this.#wake = undefined;
        settle();
      };
      const onAbort = () => done(() => reject(signal.reason));
      const stalled = setTimeout(() => {
        const message = `the reader took nothing for ${this.#stallMs} ms`;
        done(() => reject(new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, message)));
      }, this.#stallMs);
      this.#wake = () => done(resolve);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #responseHeaders(): Record<string, string> {
    return { ...this.#headers(), 'content-type': this.#wire.responseType };
  }
}
