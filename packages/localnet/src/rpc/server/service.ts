import type { ServerStreamingCall, ServiceType, UnaryCall } from '@protobuf-ts/runtime-rpc';
import type { GrpcError } from './status.ts';

/** What a handler knows of its call. */
export interface CallContext {
  /** Aborted when the client cancels, the deadline passes, the connection goes or the server closes. */
  readonly signal: AbortSignal;
  /** Request headers, names in lower case. */
  readonly metadata: Readonly<Record<string, string | string[] | undefined>>;
  /** Ends the call with this status now, whatever it is waiting for (a reader that does not read, say). */
  fail(error: GrpcError): void;
  /** Ends the call with an HTTP status instead of a gRPC one, as a proxy in front of a node does. */
  refuse(status: number, headers: Record<string, string>): void;
  /** Breaks the call off without a status, as a lost connection does. */
  cut(): void;
  /** The HTTP/2 connection that the call came on; undefined over HTTP/1.1. */
  readonly connection: Connection | undefined;
}

/** The same object for every call of one connection. */
export interface Connection {
  /** Sends GOAWAY: calls under way may end, new ones need another connection. */
  close(): void;
}

/**
 * Handlers for the methods of a generated client, so that requests and answers are checked by type:
 * `MethodsOf<SuiGrpcClient['ledgerService']>`. Methods left out answer UNIMPLEMENTED.
 */
export type MethodsOf<Client> = {
  [Name in keyof Client as Client[Name] extends AnyCall ? Name : never]?: Client[Name] extends (
    input: infer Request,
    ...rest: never[]
  ) => infer Call
    ? Call extends UnaryCall<infer _I, infer Response>
      ? (request: Request & object, context: CallContext) => Promise<Response>
      : Call extends ServerStreamingCall<infer _I, infer Frame>
        ? (request: Request & object, context: CallContext) => AsyncIterable<Frame>
        : never
    : never;
};

type AnyCall = (...input: never[]) => UnaryCall | ServerStreamingCall;

export type Handler = (request: never, context: CallContext) => Promise<object> | AsyncIterable<object>;

export interface ServiceBinding {
  service: ServiceType;
  /** Handlers by the method's local name (`getObject`). */
  methods: { readonly [localName: string]: Handler | undefined };
}

/** A service and its handlers, checked against the generated client of the same service. */
export function bindService<Client>(service: ServiceType, methods: MethodsOf<Client>): ServiceBinding {
  return { service, methods: methods as ServiceBinding['methods'] };
}
