import { GrpcTypes } from '@mysten/sui/grpc';
import type { Owner } from '../../state/objects.ts';

export type Timestamp = NonNullable<GrpcTypes.GetServiceInfoResponse['timestamp']>;
type JsonMessage = NonNullable<GrpcTypes.Event['json']>;

const OwnerKind = GrpcTypes.Owner_OwnerKind;

/** `google.protobuf.Value`, which the SDK uses but does not export by name. */
const jsonField = GrpcTypes.Event.fields.find((field) => field.localName === 'json');
if (jsonField?.kind !== 'message') throw new Error('Event.json is not a message: wrong SDK version');
const jsonType = jsonField.T();

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

export function jsonMessage(value: Json): JsonMessage {
  return jsonType.fromJson(value) as JsonMessage;
}

export function timestamp(ms: number): Timestamp {
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 };
}

export function bcsMessage(name: string, value: Uint8Array): GrpcTypes.Bcs {
  return { name, value };
}

export function ownerMessage(owner: Owner): GrpcTypes.Owner {
  switch (owner.kind) {
    case 'address':
      return { kind: OwnerKind.ADDRESS, address: owner.address };
    case 'object':
      return { kind: OwnerKind.OBJECT, address: owner.address };
    case 'consensusAddress':
      return { kind: OwnerKind.CONSENSUS_ADDRESS, address: owner.address, version: owner.startVersion };
    case 'shared':
      return { kind: OwnerKind.SHARED, version: owner.initialSharedVersion };
    case 'immutable':
      return { kind: OwnerKind.IMMUTABLE };
  }
}
