import { GrpcStatusCode } from '@mysten/sui/grpc';

export { GrpcStatusCode };

/** Bytes of a `google.protobuf.Any`: the type url and the encoded message. */
export interface StatusDetail {
  typeUrl: string;
  value: Uint8Array;
}

/** The one error of the gRPC layer: what a handler throws reaches the client as this status. */
export class GrpcError extends Error {
  readonly code: GrpcStatusCode;
  readonly details: StatusDetail[];

  constructor(code: GrpcStatusCode, message: string, details: StatusDetail[] = []) {
    super(message);
    this.name = 'GrpcError';
    this.code = code;
    this.details = details;
  }
}

export const invalidArgument = (message: string, details?: StatusDetail[]) =>
  new GrpcError(GrpcStatusCode.INVALID_ARGUMENT, message, details);

export const notFound = (message: string) => new GrpcError(GrpcStatusCode.NOT_FOUND, message);

export const unimplemented = (message: string) => new GrpcError(GrpcStatusCode.UNIMPLEMENTED, message);

/** An unknown failure is the server's own: its message stays in the log, never in the answer. */
export function toGrpcError(error: unknown): GrpcError {
  return error instanceof GrpcError ? error : new GrpcError(GrpcStatusCode.INTERNAL, 'internal error');
}

/**
 * Percent-encodes a status message as the gRPC over HTTP/2 document has it: everything outside printable
 * ASCII, and `%` itself, as UTF-8 bytes.
 */
export function encodeStatusMessage(message: string): string {
  let encoded = '';
  for (const byte of Buffer.from(message, 'utf8')) {
    if (byte >= 0x20 && byte <= 0x7e && byte !== 0x25) encoded += String.fromCharCode(byte);
    else encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
