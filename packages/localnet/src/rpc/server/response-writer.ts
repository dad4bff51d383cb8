import type { HttpResponse } from './exchange.ts';
import type { HeldBytes } from './held-bytes.ts';
import { GrpcError, GrpcStatusCode } from './status.ts';
import type { Wire } from './wire.ts';

/** Frames waiting for the end of the turn are written at once when they are this many bytes. */
const batchBytes = 32 * 1024;
/** A large answer is written in parts of this many bytes: a reader that takes one of them is not stalled. */
const partBytes = 64 * 1024;
const noBytes = Buffer.alloc(0);

interface WriterOptions {
  /** Headers of the response, asked for when it begins. */
  headers: () => Record<string, string>;
  /** Longest that a reader may take nothing. */
  stallMs: number;
  /** Bytes to write, and written bytes that the reader has not taken yet. */
  outgoing: HeldBytes;
}

/**
 * The sending side of one call: batches the frames of one turn of the event loop into one write, and makes
 * the sender wait while the reader has not taken what was written, so that memory stays bounded.
 */
export class ResponseWriter {
  readonly #response: HttpResponse;
  readonly #wire: Wire;
  readonly #options: WriterOptions;
  /** Bytes of frames, waiting or written, that the reader has not taken. */
  #held = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Encoded, and waiting until the reader has taken what is before it. */
  #parts: Buffer[] = [];
  #flush: NodeJS.Immediate | undefined;
  #started = false;
  #blocked = false;
  #over = false;
  #waiting: { drained(): void; progressed(): void } | undefined;

  constructor(response: HttpResponse, wire: Wire, options: WriterOptions) {
    this.#response = response;
    this.#wire = wire;
    this.#options = options;
    // A broken connection also closes, which is what the call reacts to.
    response.on('error', () => undefined);
    response.on('drain', () => {
      this.#blocked = false;
      this.#writeParts();
      if (this.#blocked) this.#waiting?.progressed();
      else this.#waiting?.drained();
    });
    response.on('close', () => this.#release());
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
    this.#response.writeHead(200, this.#headers());
    this.#response.flushHeaders?.();
  }

  /**
   * Returns a promise only when the caller must wait for the reader.
   *
   * @throws GrpcError RESOURCE_EXHAUSTED when readers that take nothing hold too much already.
   */
  write(frame: Buffer, signal: AbortSignal): Promise<void> | undefined {
    if (this.#over) return undefined;
    const { refusal } = this.#options.outgoing;
    if (refusal) throw refusal;
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
    this.#hold(frame.length);
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
    this.#writeAll();
    this.#over = true;
    if (!this.#started) this.#response.writeHead(200, this.#headers());
    this.#wire.finish(this.#response, error);
  }

  /** Breaks the response off without a status, once what was written before is on its way. */
  cut(): void {
    if (this.#over) return;
    this.#writeAll();
    this.#over = true;
    if (this.#started) this.#response.write(noBytes, () => this.#response.destroy());
    else this.#response.destroy();
  }

  #writePending(): void {
    clearImmediate(this.#flush);
    this.#flush = undefined;
    if (this.#over || this.#pending.length === 0) return;
    this.start();
    const frames = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    const bytes = this.#wire.encodeMessages(frames);
    for (let start = 0; start < bytes.length; start += partBytes) {
      this.#parts.push(bytes.subarray(start, start + partBytes));
    }
    this.#writeParts();
  }

  #writeParts(): void {
    while (!this.#blocked) {
      const part = this.#parts.shift();
      if (part === undefined) {
        if (this.#pendingBytes === 0) this.#release();
        return;
      }
      this.#blocked = !this.#response.write(part);
    }
  }

  /** The last of an answer, whether the reader takes it or not. */
  #writeAll(): void {
    this.#writePending();
    for (const part of this.#parts.splice(0)) this.#response.write(part);
  }

  #hold(bytes: number): void {
    this.#held += bytes;
    this.#options.outgoing.add(bytes);
  }

  #release(): void {
    this.#options.outgoing.release(this.#held);
    this.#held = 0;
  }

  #drained(signal: AbortSignal): Promise<void> {
    const { stallMs } = this.#options;
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(stalled);
        signal.removeEventListener('abort', onAbort);
        this.#waiting = undefined;
        settle();
      };
      const onAbort = () => done(() => reject(signal.reason));
      const stalled = setTimeout(() => {
        const message = `the reader did not take what was sent for ${stallMs} ms`;
        done(() => reject(new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, message)));
      }, stallMs);
      this.#waiting = { drained: () => done(resolve), progressed: () => stalled.refresh() };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #headers(): Record<string, string> {
    return { ...this.#options.headers(), 'content-type': this.#wire.responseType };
  }
}
