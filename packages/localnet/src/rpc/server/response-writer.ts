import type { HttpResponse } from './exchange.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { CallContext } from './service.ts';
import { GrpcError, GrpcStatusCode } from './status.ts';
import type { Wire } from './wire.ts';

/** Frames waiting for the end of the turn are written at once when they are this many bytes. */
const batchBytes = 32 * 1024;
/** A large answer is written in parts of this many bytes: a reader that takes one of them is not stalled. */
const partBytes = 64 * 1024;
const noBytes = Buffer.alloc(0);

interface WriterOptions {
  /** Headers of a response of this content type, asked for when it begins. */
  headers: (contentType: string, call: CallContext) => Record<string, string>;
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
  readonly #call: CallContext;
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
  /** Who waits for the reader, and until when. */
  #waiting: { stalled: NodeJS.Timeout; resolve(): void } | undefined;

  constructor(response: HttpResponse, wire: Wire, options: WriterOptions, call: CallContext) {
    this.#response = response;
    this.#wire = wire;
    this.#options = options;
    this.#call = call;
    // A broken connection also closes, which is what the call reacts to.
    response.on('error', () => undefined);
    response.on('drain', () => {
      this.#blocked = false;
      this.#writeParts();
      const waiting = this.#waiting;
      if (this.#blocked) waiting?.stalled.refresh();
      else if (waiting) {
        this.#stopWaiting();
        waiting.resolve();
      }
    });
    response.on('close', () => {
      this.#release();
      if (this.#over) return;
      this.#end();
      call.fail(new GrpcError(GrpcStatusCode.CANCELLED, 'the client closed the connection'));
    });
  }

  /** Sends the headers now, for streams whose first frame may take long. */
  start(): void {
    if (this.#started || this.#over) return;
    this.#started = true;
    this.#response.writeHead(200, this.#options.headers(this.#wire.responseType, this.#call));
    this.#response.flushHeaders?.();
  }

  /**
   * Returns a promise only when the caller must wait for the reader.
   *
   * @throws GrpcError RESOURCE_EXHAUSTED when readers that take nothing hold too much already.
   */
  write(frame: Buffer): Promise<void> | undefined {
    if (this.#over) return undefined;
    const { refusal } = this.#options.outgoing;
    if (refusal) throw refusal;
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
    this.#hold(frame.length);
    if (this.#pendingBytes >= batchBytes) this.#writePending();
    else this.#flush ??= setImmediate(() => this.#writePending());
    return this.#blocked ? this.#drained() : undefined;
  }

  /** Ends the response. A reader that does not read is cut off instead: its status would wait for ever. */
  finish(error: GrpcError | undefined): void {
    if (this.#over) return;
    if (error && this.#blocked) {
      this.#end();
      this.#response.destroy();
      return;
    }
    if (!this.#started)
      this.#response.writeHead(200, this.#options.headers(this.#wire.responseType, this.#call));
    for (const part of this.#parts.splice(0)) this.#response.write(part);
    const last = this.#takePending();
    this.#end();
    this.#wire.finish(this.#response, last, error);
  }

  /** Answers with an HTTP status, if nothing was answered before. */
  refuse(status: number, headers: Record<string, string>): void {
    if (this.#over || this.#started) return;
    this.#end();
    this.#response.writeHead(status, headers);
    this.#response.end();
  }

  /** Breaks the response off without a status, once what was written before is on its way. */
  cut(): void {
    if (this.#over) return;
    this.#writePending();
    for (const part of this.#parts.splice(0)) this.#response.write(part);
    this.#end();
    if (this.#started) this.#response.write(noBytes, () => this.#response.destroy());
    else this.#response.destroy();
  }

  #takePending(): Buffer[] {
    clearImmediate(this.#flush);
    this.#flush = undefined;
    const frames = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    return frames;
  }

  #writePending(): void {
    const frames = this.#takePending();
    if (this.#over || frames.length === 0) return;
    this.start();
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

  /** Nothing more is written, and no one waits for the reader. */
  #end(): void {
    this.#over = true;
    clearImmediate(this.#flush);
    this.#stopWaiting();
  }

  #stopWaiting(): void {
    clearTimeout(this.#waiting?.stalled);
    this.#waiting = undefined;
  }

  #hold(bytes: number): void {
    this.#held += bytes;
    this.#options.outgoing.add(bytes);
  }

  #release(): void {
    this.#options.outgoing.release(this.#held);
    this.#held = 0;
  }

  #drained(): Promise<void> {
    const { stallMs } = this.#options;
    return new Promise((resolve, reject) => {
      const stalled = setTimeout(() => {
        const message = `the reader did not take what was sent for ${stallMs} ms`;
        reject(new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, message));
      }, stallMs);
      this.#waiting = { stalled, resolve };
    });
  }
}
