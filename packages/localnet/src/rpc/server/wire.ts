import type { HttpResponse } from './exchange.ts';
import { trailersFrame } from './frames.ts';
import { encodeStatusMessage, type GrpcError, GrpcStatusCode } from './status.ts';
import { encodeStatus } from './status-details.ts';

/** How one of the three protocols puts a call on the wire. */
export interface Wire {
  readonly responseType: string;
  decodeBody(body: Buffer): Buffer;
  encodeMessages(frames: Buffer[]): Buffer;
  /** Ends a response whose headers are sent with the last frames and a status, OK without an error. */
  finish(response: HttpResponse, last: Buffer[], error: GrpcError | undefined): void;
}

const identity = (bytes: Buffer) => bytes;
const joined = (frames: Buffer[]) => (frames.length === 1 ? frames[0]! : Buffer.concat(frames));
const base64 = (bytes: Buffer) => Buffer.from(bytes.toString('base64'), 'latin1');

const native: Wire = {
  responseType: 'application/grpc+proto',
  decodeBody: identity,
  encodeMessages: joined,
  finish(response, last, error) {
    response.addTrailers(error ? errorTrailers(error) : okTrailers);
    if (last.length > 0) response.end(joined(last));
    else response.end();
  },
};

function grpcWeb(responseType: string, decode: typeof identity, encode: typeof identity): Wire {
  return {
    responseType,
    decodeBody: decode,
    encodeMessages: (frames) => encode(joined(frames)),
    finish(response, last, error) {
      response.end(encode(joined([...last, trailersFrame(error ? errorTrailers(error) : okTrailers)])));
    },
  };
}

const webBinary = grpcWeb('application/grpc-web+proto', identity, identity);
const webText = grpcWeb(
  'application/grpc-web-text+proto',
  (body) => Buffer.from(body.toString('latin1'), 'base64'),
  base64,
);

const wires: Record<string, Wire | undefined> = {
  'application/grpc': native,
  'application/grpc+proto': native,
  'application/grpc-web': webBinary,
  'application/grpc-web+proto': webBinary,
  'application/grpc-web-text': webText,
  'application/grpc-web-text+proto': webText,
};

/** The protocol of a request; undefined when it is not gRPC, or native gRPC without HTTP/2. */
export function wireOf(contentType: string | undefined, httpVersionMajor: number): Wire | undefined {
  const wire = wires[contentType?.split(';')[0]?.trim().toLowerCase() ?? ''];
  return wire === native && httpVersionMajor < 2 ? undefined : wire;
}

const okTrailers = { 'grpc-status': String(GrpcStatusCode.OK) };

function errorTrailers(error: GrpcError): Record<string, string> {
  const trailers: Record<string, string> = {
    'grpc-status': String(error.code),
    'grpc-message': encodeStatusMessage(error.message),
  };
  if (error.details.length > 0) {
    trailers['grpc-status-details-bin'] = Buffer.from(encodeStatus(error)).toString('base64');
  }
  return trailers;
}
