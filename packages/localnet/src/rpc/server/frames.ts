import { GrpcError, GrpcStatusCode, invalidArgument } from './status.ts';

const prefixBytes = 5;
const compressedFlag = 0x01;
const trailersFlag = 0x80;

/** A message with its length prefix, as both gRPC and grpc-web put it on the wire. */
export function messageFrame(message: Uint8Array): Buffer {
  return frame(0, message);
}

/** The closing frame of grpc-web: the trailers as header lines. */
export function trailersFrame(trailers: Record<string, string>): Buffer {
  const lines = Object.entries(trailers).map(([name, value]) => `${name}:${value}\r\n`);
  return frame(trailersFlag, Buffer.from(lines.join(''), 'latin1'));
}

/** The single message of a request body; bodies with none, several or a compressed one are refused. */
export function singleMessage(body: Buffer): Buffer {
  if (body.length < prefixBytes) throw invalidArgument('the request body holds no message');
  if (body.readUInt8(0) & compressedFlag) {
    throw new GrpcError(GrpcStatusCode.UNIMPLEMENTED, 'compressed requests are not supported: send identity');
  }
  const length = body.readUInt32BE(1);
  if (body.length !== prefixBytes + length) {
    throw invalidArgument('the request body must hold exactly one whole message');
  }
  return body.subarray(prefixBytes);
}

function frame(flag: number, payload: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(prefixBytes + payload.length);
  framed.writeUInt8(flag, 0);
  framed.writeUInt32BE(payload.length, 1);
  framed.set(payload, prefixBytes);
  return framed;
}
