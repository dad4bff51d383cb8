import type { ChainChannel } from '@adaptor-marketplace/adaptor/chain/client';
import {
  type FinishedUnaryCall,
  type MethodInfo,
  mergeRpcOptions,
  RpcError,
  type RpcOptions,
  RpcOutputStreamController,
  ServerStreamingCall,
  UnaryCall,
} from '@protobuf-ts/runtime-rpc';
import { type ProblemError, problem } from '../../errors/index.ts';
import { type CallBounds, type Priority, sleep } from './budget.ts';
import { type Provider, readHeight, toCallBounds } from './provider.ts';
import { NotSentError } from './refusals.ts';

/** The providers that a transport may call. */
interface ProviderChoice {
  /** The best provider that is not in `tried`; undefined if there is none. */
  next(tried: ReadonlySet<Provider>): Provider | undefined;
  /** Checkpoint that a provider must have passed to show the newest write of this process; see `WriteFloor`. */
  floor: WriteFloor | undefined;
}

/** Shortest time for an attempt that another provider may repeat. */
const attemptMsMin = 2_000;
/** Pause before a provider is called again that was behind the caller's own write. */
const behindPauseMs = 300;

/**
 * A transport over one or several providers. A unary call that a provider fails is repeated on the next one within the
 * caller's deadline: reads change nothing, and the chain executes the same signed bytes at most once. A stream stays on
 * one provider, because its cursors belong to it.
 */
export function createProviderTransport(choice: ProviderChoice, priority: Priority): ChainChannel {
  return {
    mergeOptions: (options) => mergeRpcOptions({}, options),
    unary<I extends object, O extends object>(method: MethodInfo<I, O>, input: I, options: RpcOptions) {
      const call = callWithRetries({ choice, priority, method, input, options }).catch((error: unknown) => {
        throw error instanceof NotSentError && hasReader.has(priority) ? nodeBusy(error) : error;
      });
      const part = <Part>(pick: (finished: FinishedUnaryCall<I, O>) => Part) => {
        const promise = call.then(pick);
        // Callers await one part and leave the others.
        promise.catch(() => undefined);
        return promise;
      };
      return new UnaryCall<I, O>(
        method,
        options.meta ?? {},
        input,
        part(({ headers }) => headers),
        part(({ response }) => response),
        part(({ status }) => status),
        part(({ trailers }) => trailers),
      );
    },
    serverStreaming<I extends object, O extends object>(
      method: MethodInfo<I, O>,
      input: I,
      options: RpcOptions,
    ) {
      const provider = choice.next(new Set())!;
      const open = () => {
        const begunMs = performance.now();
        const { channel } = provider;
        const call = channel.serverStreaming(method, input, channel.mergeOptions(options));
        // A stream that ends after it began says nothing about the provider: they all end at times.
        call.headers.then(
          (headers) => provider.recordAnswer(headers, performance.now() - begunMs),
          (error) => provider.recordFailure(error),
        );
        return call;
      };
      if (provider.mayWait) return openLater(method, input, options, { provider, priority, open });
      provider.countRequest(priority);
      return open();
    },
    clientStreaming: unsupported,
    duplex: unsupported,
    // The channels are closed by the owner of the providers.
    close: () => undefined,
  };
}

/** Priorities of calls that someone waits for, who learns when to come back. */
const hasReader: ReadonlySet<Priority> = new Set(['run', 'read']);

function nodeBusy({ message, retryAfterSeconds }: NotSentError): ProblemError {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return problem('node_busy', `The network's node takes no more requests: ${message}.`, { headers });
}

function unsupported(): never {
  throw new RpcError('a full node has no calls that stream requests', 'UNIMPLEMENTED');
}

interface Call<I extends object, O extends object> {
  choice: ProviderChoice;
  priority: Priority;
  method: MethodInfo<I, O>;
  input: I;
  options: RpcOptions;
}

async function callWithRetries<I extends object, O extends object>(
  call: Call<I, O>,
): Promise<FinishedUnaryCall<I, O>> {
  const { choice, options } = call;
  const bounds = toCallBounds(options);
  const tried = new Set<Provider>();
  for (;;) {
    const provider = choice.next(tried)!;
    tried.add(provider);
    const hasOther = choice.next(tried) !== undefined;
    try {
      return await callOnce(call, provider, hasOther, bounds);
    } catch (error) {
      const isBehind = error instanceof BehindWriteError;
      const mayRepeat = isBehind || (provider.recordFailure(error) && hasOther);
      if (!mayRepeat || options.abort?.aborted) throw error;
      if (Date.now() + behindPauseMs >= bounds.deadlineMs) throw error;
      if (!isBehind) continue;
      await sleep(behindPauseMs, bounds.signal);
      tried.clear();
    }
  }
}

async function callOnce<I extends object, O extends object>(
  { choice, priority, method, input, options }: Call<I, O>,
  provider: Provider,
  hasOther: boolean,
  bounds: CallBounds,
): Promise<FinishedUnaryCall<I, O>> {
  const { channel } = provider;
  const limits = hasOther ? limitAttempt(bounds, method) : bounds;
  await provider.admit(priority, limits);
  const begunMs = performance.now();
  const timeout = options.timeout === undefined ? undefined : Math.max(1, limits.deadlineMs - Date.now());
  const call = channel.unary(method, input, channel.mergeOptions({ ...options, timeout }));
  try {
    const finished = await call;
    const height = provider.recordAnswer(finished.headers, performance.now() - begunMs);
    choice.floor?.check(provider, height, isWrite(method));
    return finished;
  } catch (error) {
    // A proxy names its delay in the headers of the response, before the status.
    if (error instanceof RpcError) error.meta = { ...(await call.headers.catch(() => ({}))), ...error.meta };
    if (error instanceof RpcError && error.code === 'NOT_FOUND') {
      choice.floor?.check(provider, readHeight(error.meta), false);
    }
    throw error;
  }
}

/** Calls after which the caller counts on seeing what it wrote. */
const isWrite = ({ name }: MethodInfo) => name === 'ExecuteTransaction' || name === 'GetTransaction';

/** Leaves half of the time for another provider. A submission has all of it: its answer is worth waiting for. */
function limitAttempt({ deadlineMs, signal }: CallBounds, { name }: MethodInfo): CallBounds {
  if (name === 'ExecuteTransaction') return { deadlineMs, signal };
  const nowMs = Date.now();
  const attemptMs = Math.max(attemptMsMin, (deadlineMs - nowMs) / 2);
  return { deadlineMs: Math.min(deadlineMs, nowMs + attemptMs), signal };
}

/** A provider has not reached what this process wrote through another one. */
class BehindWriteError extends RpcError {}

/**
 * Checkpoints after the one at which a transaction was executed within which the chain has taken it in: 2 s of a chain
 * with a checkpoint every 200 ms.
 */
const checkpointsUntilTakenIn = 10;

/** The newest write of this process, so that a provider that has not reached it does not answer reads after it. */
export class WriteFloor {
  #provider: Provider | undefined;
  #checkpoint = -1;

  /**
   * @param height newest checkpoint of the node that answered
   * @throws BehindWriteError if another provider wrote and this one is behind it
   */
  check(provider: Provider, height: number | undefined, isWrite: boolean): void {
    if (height === undefined) return;
    if (isWrite) {
      if (height < this.#checkpoint) return;
      this.#provider = provider;
      this.#checkpoint = height;
      return;
    }
    const neededMin = this.#checkpoint + checkpointsUntilTakenIn;
    if (this.#provider === undefined || this.#provider === provider || height >= neededMin) return;
    const message = `${provider.host} is at checkpoint ${height}, and a transaction was executed at ${this.#checkpoint}`;
    throw new BehindWriteError(message, 'UNAVAILABLE');
  }
}

interface Opening<I extends object, O extends object> {
  provider: Provider;
  priority: Priority;
  open(): ServerStreamingCall<I, O>;
}

/** Opens a stream once the provider takes another request. */
function openLater<I extends object, O extends object>(
  method: MethodInfo<I, O>,
  input: I,
  options: RpcOptions,
  { provider, priority, open }: Opening<I, O>,
): ServerStreamingCall<I, O> {
  const responses = new RpcOutputStreamController<O>();
  // A call is a promise of its end, so it is wrapped.
  const opening = provider.admit(priority, toCallBounds(options)).then(() => ({ call: open() }));
  opening.then(
    ({ call }) =>
      call.responses.onNext((message, error, complete) => responses.notifyNext(message, error, complete)),
    (error) => responses.notifyError(error),
  );
  const part = <Part>(pick: (call: ServerStreamingCall<I, O>) => Promise<Part>) => {
    const promise = opening.then(({ call }) => pick(call));
    promise.catch(() => undefined);
    return promise;
  };
  return new ServerStreamingCall<I, O>(
    method,
    options.meta ?? {},
    input,
    part(({ headers }) => headers),
    responses,
    part(({ status }) => status),
    part(({ trailers }) => trailers),
  );
}
