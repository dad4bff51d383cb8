import type { MethodInfo } from '@protobuf-ts/runtime-rpc';
import { parseTimeoutMs } from './deadline.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';
import { messageFrame, singleMessage } from './frames.ts';
import { ResponseWriter } from './response-writer.ts';
import type { Handler } from './service.ts';
import { GrpcError, GrpcStatusCode, invalidArgument, toGrpcError } from './status.ts';
import type { Wire } from './wire.ts';

export interface CallOptions {
  maxRequestBytes: number;
  /** Longest that a request body may fail to come, or a reader to take what was written. */
  stallMs: number;
  /** Headers of the response, asked for when it begins. */
  headers: () => Record<string, string>;
  /** Turns a handler's own errors into statuses; what it does not know it returns as it is. */
  translateError: (error: unknown) => unknown;
  onInternalError: (error: unknown, method: string) => void;
}

/** One call from its request to its status. It never rejects: every failure is a status or a gone client. */
export class Call {
  readonly #abort = new AbortController();
  readonly #writer: ResponseWriter;
  readonly #request: HttpRequest;
  readonly #wire: Wire;
  readonly #options: CallOptions;

  constructor(request: HttpRequest, response: HttpResponse, wire: Wire, options: CallOptions) {
    this.#request = request;
    this.#wire = wire;
    this.#options = options;
    this.#writer = new ResponseWriter(response, wire, options.headers, options.stallMs);
    this.#writer.onGone(() => this.fail(new GrpcError(GrpcStatusCode.CANCELLED, 'the client went away')));
    // Raced promises may reject after the race is over.
    this.#aborted.catch(() => undefined);
  }

  /** Ends the call with a status now, whatever it is waiting for. */
  readonly fail = (error: GrpcError): void => this.#abort.abort(error);

  /** Serves the method; `handler` is undefined when nothing implements it. */
  async run(method: MethodInfo | undefined, handler: Handler | undefined): Promise<void> {
    let deadline: NodeJS.Timeout | undefined;
    const name = this.#request.url ?? '';
    try {
      const timeoutMs = parseTimeoutMs(header(this.#request, 'grpc-timeout'));
      if (timeoutMs !== undefined) deadline = setTimeout(() => this.fail(deadlineExceeded()), timeoutMs);
      const body = await this.#race(this.#readBody());
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
      this.fail(new GrpcError(GrpcStatusCode.CANCELLED, 'the call is over'));
    }
  }

  async #serve(method: MethodInfo, handler: Handler, body: Buffer): Promise<void> {
    const request = decode(method, singleMessage(this.#wire.decodeBody(body)));
    const context = { signal: this.#abort.signal, metadata: this.#request.headers, fail: this.fail };
    const result = handler(request as never, context);
    if (Symbol.asyncIterator in result) return this.#stream(method, result);
    await this.#writer.write(messageFrame(method.O.toBinary(await this.#race(result))), this.#abort.signal);
  }

  async #stream(method: MethodInfo, frames: AsyncIterable<object>): Promise<void> {
    this.#writer.start();
    const iterator = frames[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#race(iterator.next());
        if (next.done) return;
        const written = this.#writer.write(messageFrame(method.O.toBinary(next.value)), this.#abort.signal);
        if (written) await written;
      }
    } finally {
      // Not awaited: a generator that waits for something answers `return` only after it.
      Promise.resolve(iterator.return?.()).catch(() => undefined);
    }
  }

  #readBody(): Promise<Buffer> {
    const { maxRequestBytes, stallMs } = this.#options;
    return new Promise<Buffer>((resolve, reject) => {
      const stalled = setTimeout(() => reject(bodyCutOff()), stallMs);
      const chunks: Buffer[] = [];
      let bytes = 0;
      this.#request.on('data', (chunk) => {
        bytes += chunk.length;
        // What comes after the refusal is read and thrown away, so that the client sees the answer.
        if (bytes <= maxRequestBytes) chunks.push(chunk);
        else reject(tooLarge(maxRequestBytes));
      });
      this.#request.on('end', () => {
        clearTimeout(stalled);
        resolve(Buffer.concat(chunks));
      });
      this.#request.on('error', () => reject(bodyCutOff()));
      this.#request.on('close', () => clearTimeout(stalled));
    });
  }

  /** The promise, or the reason of the abort if that comes first. */
  #race<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#aborted]);
  }

  readonly #aborted = new Promise<never>((_resolve, reject) => {
    const { signal } = this.#abort;
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
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

const deadlineExceeded = () => new GrpcError(GrpcStatusCode.DEADLINE_EXCEEDED, 'deadline exceeded');

const bodyCutOff = () => new GrpcError(GrpcStatusCode.CANCELLED, 'the request body did not come whole');

const tooLarge = (limit: number) =>
  new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, `the request is above ${limit} bytes`);
