import { ChannelCredentials, InterceptingCall, type Interceptor } from '@grpc/grpc-js';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { GrpcTransport } from '@protobuf-ts/grpc-transport';
import {
  type MethodInfo,
  RpcError,
  type RpcOptions,
  RpcOutputStreamController,
  type RpcTransport,
  ServerStreamingCall,
  UnaryCall,
} from '@protobuf-ts/runtime-rpc';

/** A name unknown to the SDK, so that no type string makes it query a third party's name service. */
const sdkNetwork = 'adaptor-marketplace';

/**
 * Drops the headers of a response that arrives after its call has ended, aborted or timed out. The transport would throw on
 * them, outside of any promise.
 */
const dropLateHeaders: Interceptor = (options, startNext) => {
  let isOver = false;
  return new InterceptingCall(startNext(options), {
    start(metadata, _listener, next) {
      next(metadata, {
        onReceiveMetadata(headers, pass) {
          if (!isOver) pass(headers);
        },
        onReceiveStatus(status, pass) {
          isOver = true;
          pass(status);
        },
      });
    },
  });
};

const clientOptions = {
  interceptors: [dropLateHeaders],
  // The default of 4 MiB refuses large packages and full checkpoints; the node's own limits apply instead.
  'grpc.max_receive_message_length': -1,
  // Bytes in flight, for a call and for all calls of a connection. The default of 64 KiB allows 1.3 MB/s at 50 ms.
  'grpc-node.flow_control_window': 8 * 2 ** 20,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
};

/** Address and credentials of a full node. */
export interface ChainClientOptions {
  /** Url of the full node, `http(s)://host[:port]`. `http` is unencrypted gRPC. */
  url: string;
  /** Sent as `x-token`. */
  token?: string | undefined;
}

/**
 * A transport for long-lived processes. The base class differs in three points:
 *
 * - It sends a call whose signal has aborted already. Over an open connection the node then executes it.
 * - It never removes its listener from a signal, and the listener holds the call with its response. Each call here has a
 *   signal of its own, which follows the caller's until the call ends.
 * - It checks each field of each streamed message, though it has just decoded the message as that type.
 */
class NodeTransport extends GrpcTransport {
  override unary<I extends object, O extends object>(
    method: MethodInfo<I, O>,
    input: I,
    options: RpcOptions,
  ): UnaryCall<I, O> {
    if (!options.abort?.aborted) return followSignal(options, (own) => super.unary(method, input, own));
    const cancelled = rejectUnsent(method);
    return new UnaryCall(method, options.meta ?? {}, input, cancelled, cancelled, cancelled, cancelled);
  }

  override serverStreaming<I extends object, O extends object>(
    method: MethodInfo<I, O>,
    input: I,
    options: RpcOptions,
  ): ServerStreamingCall<I, O> {
    if (!options.abort?.aborted) {
      const O: MethodInfo<I, O>['O'] = Object.create(method.O, { is: { value: () => true } });
      return followSignal(options, (own) => super.serverStreaming({ ...method, O }, input, own));
    }
    const cancelled = rejectUnsent(method);
    const responses = new RpcOutputStreamController<O>();
    // Asynchronous, so that the caller can add its listeners first.
    cancelled.catch((error) => responses.notifyError(error));
    return new ServerStreamingCall(
      method,
      options.meta ?? {},
      input,
      cancelled,
      responses,
      cancelled,
      cancelled,
    );
  }
}

/** Rejects with the error of a call that was not sent. The caller may leave the promise unhandled. */
function rejectUnsent({ name, service }: MethodInfo): Promise<never> {
  const error = new RpcError('The call was aborted before it was sent.', 'CANCELLED');
  error.methodName = name;
  error.serviceName = service.typeName;
  const rejected = Promise.reject(error);
  rejected.catch(() => undefined);
  return rejected;
}

/** Starts a call that aborts with the caller's signal, and leaves nothing on that signal when it has ended. */
function followSignal<Call extends { status: Promise<unknown> }>(
  options: RpcOptions,
  start: (own: RpcOptions) => Call,
): Call {
  const { abort: signal } = options;
  if (!signal) return start(options);
  // Not `AbortSignal.any()`: the runtime holds the signal that it returns for as long as that has listeners.
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  const call = start({ ...options, abort: own.signal });
  signal.addEventListener('abort', abort);
  const release = () => signal.removeEventListener('abort', abort);
  call.status.then(release, release);
  return call;
}

/** A connection to one full node. It opens with the first call. */
export type ChainChannel = RpcTransport & { close(): void };

export type ChainClient = SuiGrpcClient & {
  /**
   * A client of the same channel, for code that takes only a client. Each call ends after `timeoutMs`, or at its own
   * earlier deadline, and when its own signal aborts, or `signal` if it has none.
   */
  within(timeoutMs: number, signal?: AbortSignal): SuiGrpcClient;
  close(): void;
};

/** @throws TypeError if the url is not an origin */
export function openChannel({ url, token }: ChainClientOptions): ChainChannel {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  if (!/^https?:$/.test(protocol) || pathname !== '/' || search !== '') {
    throw new TypeError(`A node's url is http(s)://host[:port], without a path: ${url}`);
  }
  const secure = protocol === 'https:';
  return new NodeTransport({
    host: `${hostname}:${port || (secure ? 443 : 80)}`,
    channelCredentials: secure ? ChannelCredentials.createSsl() : ChannelCredentials.createInsecure(),
    meta: token === undefined ? {} : { 'x-token': token },
    clientOptions,
  });
}

/** Returns a client that sends its calls over the channel, which it closes. */
export function createClientOver(channel: ChainChannel): ChainClient {
  const client = new SuiGrpcClient({ network: sdkNetwork, transport: channel });
  const within = (timeoutMs: number, signal?: AbortSignal) => {
    const bounded: RpcTransport = Object.create(channel);
    // The SDK and `callOptions` also pass a signal that is undefined.
    bounded.mergeOptions = ({ timeout = timeoutMs, abort = signal, ...options } = {}) =>
      channel.mergeOptions({
        ...options,
        timeout: typeof timeout === 'number' ? Math.min(timeout, timeoutMs) : timeout,
        abort,
      });
    return new SuiGrpcClient({ network: sdkNetwork, transport: bounded });
  };
  return Object.assign(client, { within, close: () => channel.close() });
}

/**
 * Creates a client. It opens no connection until the first call.
 * @throws TypeError if the url is not an origin
 */
export function createChainClient(options: ChainClientOptions): ChainClient {
  return createClientOver(openChannel(options));
}
