import * as grpc from '@grpc/grpc-js';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { IMessageType } from '@protobuf-ts/runtime';
import type { ServiceType } from '@protobuf-ts/runtime-rpc';

/** Answers one unary call. It can throw a `NodeRefusedError` for a gRPC status. */
export type UnaryHandler = (request: never, metadata: grpc.Metadata) => object | Promise<object>;

export class NodeRefusedError extends Error {
  readonly code: grpc.status;

  constructor(code: grpc.status, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Starts a full node for tests: real gRPC on a free port, with answers from the test. Methods without a handler return
 * UNIMPLEMENTED, like those of an old node.
 */
export async function startNodeDouble(handlers: Record<string, UnaryHandler>) {
  const server = new grpc.Server();
  for (const service of [
    GrpcTypes.LedgerService,
    GrpcTypes.MovePackageService,
    GrpcTypes.StateService,
    GrpcTypes.SignatureVerificationService,
    GrpcTypes.NameService,
  ]) {
    server.addService(buildDefinition(service), buildImplementation(service, handlers));
  }
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = grpc.ServerCredentials.createInsecure();
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { url: `http://127.0.0.1:${port}`, close: () => server.forceShutdown() };
}

function buildDefinition(service: ServiceType): grpc.ServiceDefinition {
  const codec = (type: IMessageType<object>) => ({
    serialize: (message: object) => Buffer.from(type.toBinary(type.create(message))),
    deserialize: (bytes: Buffer) => type.fromBinary(bytes),
  });
  const methods = service.methods.map((method) => {
    const [request, response] = [codec(method.I), codec(method.O)];
    const definition: grpc.MethodDefinition<object, object> = {
      path: `/${service.typeName}/${method.name}`,
      requestStream: method.clientStreaming,
      responseStream: method.serverStreaming,
      requestSerialize: request.serialize,
      requestDeserialize: request.deserialize,
      responseSerialize: response.serialize,
      responseDeserialize: response.deserialize,
    };
    return [method.localName, definition] as const;
  });
  return Object.fromEntries(methods);
}

function buildImplementation(service: ServiceType, handlers: Record<string, UnaryHandler>) {
  const names = service.methods.map((method) => method.localName);
  const bound = names.flatMap((name) => {
    const handler = handlers[name];
    if (!handler) return [];
    const handle: grpc.handleUnaryCall<object, object> = async (call, callback) => {
      try {
        callback(null, await handler(call.request as never, call.metadata));
      } catch (error) {
        const code = error instanceof NodeRefusedError ? error.code : grpc.status.INTERNAL;
        callback({ code, details: String(error instanceof Error ? error.message : error) });
      }
    };
    return [[name, handle] as const];
  });
  return Object.fromEntries(bound);
}
