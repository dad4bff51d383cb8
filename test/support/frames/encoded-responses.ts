import type { MessageType } from '@protobuf-ts/runtime';
import type { ServiceType } from '@protobuf-ts/runtime-rpc';

/** A response that is encoded already. */
export interface Encoded {
  bytes: Uint8Array;
}

const passing: Pick<MessageType<Encoded>, 'toBinary'> = { toBinary: ({ bytes }) => bytes };

/** Returns the service with these methods responding with `Encoded`, so that a benchmark's node encodes nothing again. */
export function passEncoded(service: ServiceType, names: readonly string[]): ServiceType {
  const { typeName, methods } = service;
  const changed = methods.map((method) =>
    names.includes(method.name) ? { ...method, O: { ...passing } } : method,
  );
  return { ...service, typeName, methods: changed } as ServiceType;
}
