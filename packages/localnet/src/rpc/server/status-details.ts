import { GrpcTypes } from '@mysten/sui/grpc';
import { type GrpcError, invalidArgument, type StatusDetail } from './status.ts';

type ErrorOf<Result> = Result extends { oneofKind: 'error'; error: infer Status } ? Status : never;
/** `google.rpc.Status`, which the SDK uses but does not export by name. */
type RpcStatus = ErrorOf<GrpcTypes.GetObjectResult['result']>;

const errorField = GrpcTypes.GetObjectResult.fields.find((field) => field.localName === 'error');
if (errorField?.kind !== 'message')
  throw new Error('GetObjectResult.error is not a message: wrong SDK version');
const statusType = errorField.T();

/** A status as a message, where an answer carries it beside results (the batch methods). */
export function toRpcStatus(error: GrpcError): RpcStatus {
  return { code: error.code, message: error.message, details: error.details };
}

/** Bytes of `grpc-status-details-bin`. */
export function encodeStatus(error: GrpcError): Uint8Array {
  return statusType.toBinary(toRpcStatus(error));
}

const utf8 = (text: string) => Buffer.from(text, 'utf8');

/** Why a field is refused: names of `sui.rpc.v2.ErrorReason`. */
type FieldReason = 'FIELD_INVALID' | 'FIELD_MISSING';

/** A `google.rpc.BadRequest` with one field violation, so that a client can tell which field it got wrong. */
export function badField(
  field: string,
  description: string,
  reason: FieldReason = 'FIELD_INVALID',
): StatusDetail {
  const texts = [field, description, reason];
  const violation = Buffer.concat(texts.map((text, index) => lengthDelimited(index + 1, utf8(text))));
  return { typeUrl: 'type.googleapis.com/google.rpc.BadRequest', value: lengthDelimited(1, violation) };
}

/** A `google.rpc.RetryInfo`: the client should not call again before this time has passed. */
export function retryInfo(delayMs: number): StatusDetail {
  const seconds = [0x08, ...varint(Math.floor(delayMs / 1_000))];
  const nanos = [0x10, ...varint((delayMs % 1_000) * 1_000_000)];
  const value = lengthDelimited(1, Buffer.from([...seconds, ...nanos]));
  return { typeUrl: 'type.googleapis.com/google.rpc.RetryInfo', value };
}

/** INVALID_ARGUMENT that names the field, in its message and in its details. */
export const invalidField = (field: string, description: string) =>
  invalidArgument(`${field}: ${description}`, [badField(field, description)]);

/** INVALID_ARGUMENT for a field that must be there. */
export const missingField = (field: string, description = 'missing') =>
  invalidArgument(`${field}: ${description}`, [badField(field, description, 'FIELD_MISSING')]);

/** A length-delimited protobuf field; the SDK has no generated types for the details of a status. */
function lengthDelimited(fieldNumber: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(fieldNumber << 3) | 2, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  const digits: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) digits.push((rest & 0x7f) | 0x80);
  return [...digits, rest];
}
