import type { MethodInfo } from '@protobuf-ts/runtime-rpc';
import { parseTimeoutMs } from './deadline.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';
import { messageFrame, singleMessage } from './frames.ts';
import type { HeldBytes } from './held-bytes.ts';
import { type BodyLimits, readBody } from './request-body.ts';
import { ResponseWriter } from './response-writer.ts';
import type { CallContext, Handler } from './service.ts';
import { GrpcError, GrpcStatusCode, invalidArgument, toGrpcError } from './status.ts';
import type { Turns } from './turns.ts';
import type { Wire } from './wire.ts';

export interface CallOptions extends BodyLimits {
  /** Longest that a request body may fail to come, or a reader to take what was written. */
  stallMs: number;
  /** Bytes to write, and written bytes that the reader has not taken yet. */
  outgoing: HeldBytes;
  /** In which calls that came whole begin. */
  turns: Turns;
  /** Headers of a response of this content type, asked for when it begins. */
  headers: (contentType: string, call: CallContext) => Record<string, string>;
  /** Turns a handler's own errors into statuses; what it does not know it returns as it is. */
  translateError: (error: unknown) => unknown;
  onInternalError: (error: unknown, method: string) => void;
}

/** One call from its request to its status. It never rejects: every failure is a status or a gone client. */
export class Call implements CallContext {
  readonly #writer: ResponseWriter;
  readonly #request: HttpRequest;
  readonly #wire: Wire;
  readonly #options: CallOptions;
  /** Why the call ends now, whatever it is waiting for. */
  #reason: GrpcError | undefined;
  /** Made for handlers that ask for its signal, which most do not. */
  #abort: AbortController | undefined;
  /** Ends what the call waits for. */
  #interrupt: (() => void) | undefined;

  constructor(request: HttpRequest, response: HttpResponse, wire: Wire, options: CallOptions) {
    this.#request = request;
    this.#wire = wire;
    this.#options = options;
    this.#writer = new ResponseWriter(response, wire, options, this);
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#reason) this.#abort.abort(this.#reason);
    return this.#abort.signal;
  }

  get metadata(): CallContext['metadata'] {
    return this.#request.headers;
  }

  get connection(): CallContext['connection'] {
    return this.#request.stream?.session;
  }

  fail(error: GrpcError): void {
    if (this.#reason) return;
    this.#reason = error;
    this.#interrupt?.();
    this.#abort?.abort(error);
  }

  refuse(status: number, headers: Record<string, string>): void {
    this.#writer.refuse(status, headers);
    this.fail(callEnded);
  }

  cut(): void {
    this.#writer.cut();
    this.fail(new GrpcError(GrpcStatusCode.CANCELLED, 'the call was cancelled'));
  }

  /** Serves the method; `handler` is undefined when nothing implements it. */
  async run(method: MethodInfo | undefined, handler: Handler | undefined): Promise<void> {
    let deadline: NodeJS.Timeout | undefined;
    const name = this.#request.url ?? '';
    try {
      const timeoutMs = parseTimeoutMs(header(this.#request, 'grpc-timeout'));
      if (timeoutMs !== undefined) deadline = setTimeout(() => this.fail(deadlineExceeded()), timeoutMs);
      const body = await this.#race(readBody(this.#request, this.#options));
      if (!method || !handler) {
        throw new GrpcError(GrpcStatusCode.UNIMPLEMENTED, `${name} is not implemented by this network`);
      }
      await this.#serve(method, handler, body);
      this.#writer.finish(undefined);
    } catch (thrown) {
      const error = this.#options.translateError(thrown);
      if (!(error instanceof GrpcError)) this.#options.onInternalError(error, name);
      this.#writer.finish(toGrpcError(error));
    } finally {
      clearTimeout(deadline);
      // Tells a handler that is still at work that nobody waits for it.
      this.fail(callEnded);
    }
  }

  async #serve(method: MethodInfo, handler: Handler, body: Buffer): Promise<void> {
    const request = decode(method, singleMessage(this.#wire.decodeBody(body)));
    const answer = await this.#race(this.#inTurn(() => handler(request as never, this)));
    if (Symbol.asyncIterator in answer) return this.#stream(method, answer);
    const written = this.#writer.write(messageFrame(method.O.toBinary(answer)));
    if (written) await this.#race(written);
  }

  /** What the handler answers or streams; it does not begin for who went away before its turn. */
  #inTurn(begin: () => ReturnType<Handler>): Promise<object | AsyncIterable<object>> {
    return new Promise((resolve, reject) => {
      this.#options.turns.take(() => {
        if (this.#reason) return reject(this.#reason);
        try {
          resolve(begin());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  async #stream(method: MethodInfo, frames: AsyncIterable<object>): Promise<void> {
    this.#writer.start();
    const iterator = frames[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#race(iterator.next());
        if (next.done) return;
        const written = this.#writer.write(encode(method, next.value));
        if (written) await this.#race(written);
      }
    } finally {
      // Not awaited: a generator that waits for something answers `return` only after it.
      Promise.resolve(iterator.return?.()).catch(() => undefined);
    }
  }

  /** The promise, or the reason for which the call ends if that comes first; one at a time. */
  #race<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#interrupt = () => reject(this.#reason);
      promise.then(resolve, reject);
      if (this.#reason) reject(this.#reason);
    });
  }
}

/** Frames by their message: one that goes to many subscribers is encoded once. */
const encoded = new WeakMap<object, Buffer>();

function encode(method: MethodInfo, message: object): Buffer {
  let frame = encoded.get(message);
  if (!frame) {
    frame = messageFrame(method.O.toBinary(message));
    encoded.set(message, frame);
  }
  return frame;
}

function decode(method: MethodInfo, message: Uint8Array): object {
  try {
    return method.I.fromBinary(message);
  } catch {
    throw invalidArgument(`the message is no ${method.I.typeName}`);
  }
}

function header(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** One for all calls: making an error costs a stack trace, which this one does not need. */
const callEnded = new GrpcError(GrpcStatusCode.CANCELLED, 'the call has ended');
const deadlineExceeded = () => new GrpcError(GrpcStatusCode.DEADLINE_EXCEEDED, 'deadline exceeded');
