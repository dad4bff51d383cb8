import assert from 'node:assert/strict';
import { GrpcTypes } from '@mysten/sui/grpc';
import { casesOf } from '../case.ts';

const origin = 'https://wallet.example';
const path = (service: string, method: string) => `/sui.rpc.v2.${service}/${method}`;
const frame = (message: Uint8Array) => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};

async function post(url: string, to: string, type: string, body: Buffer<ArrayBuffer>) {
  const response = await fetch(new URL(to, url), {
    method: 'POST',
    headers: { 'content-type': type, 'x-grpc-web': '1', origin },
    body,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { response, bytes };
}

/** The frames of a grpc-web body: flag and payload. */
function framesOf(body: Buffer): { flag: number; payload: Buffer }[] {
  const frames: { flag: number; payload: Buffer }[] = [];
  for (let at = 0; at < body.length; ) {
    const length = body.readUInt32BE(at + 1);
    frames.push({ flag: body[at]!, payload: body.subarray(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return frames;
}

export const httpCases = casesOf(
  'grpc-web',
  {
    async 'answers binary with a message and the trailers as the last frame'({ url, picked }) {
      const to = path('LedgerService', 'GetServiceInfo');
      const { response, bytes } = await post(url, to, 'application/grpc-web+proto', frame(Buffer.alloc(0)));
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type')!, /^application\/grpc-web\+proto/);
      const [message, trailers] = framesOf(bytes);
      const info = GrpcTypes.GetServiceInfoResponse.fromBinary(message!.payload);
      assert.equal(info.chainId, picked.chainId);
      assert.equal(trailers!.flag, 0x80);
      assert.match(trailers!.payload.toString(), /grpc-status: ?0/);
    },
    async 'answers text in base64'({ url, picked }) {
      const to = path('LedgerService', 'GetServiceInfo');
      const body = Buffer.from(frame(Buffer.alloc(0)).toString('base64'));
      const { response, bytes } = await post(url, to, 'application/grpc-web-text+proto', body);
      assert.match(response.headers.get('content-type')!, /^application\/grpc-web-text/);
      const decoded = Buffer.concat(
        bytes
          .toString()
          .split(/(?<==)(?=[^=])/)
          .map((part) => Buffer.from(part, 'base64')),
      );
      const info = GrpcTypes.GetServiceInfoResponse.fromBinary(framesOf(decoded)[0]!.payload);
      assert.equal(info.chainId, picked.chainId);
    },
    async 'tells a refusal with its code and its words, under status 200'({ url }) {
      const message = GrpcTypes.GetObjectRequest.toBinary({ objectId: `0x${'de'.repeat(32)}` });
      const to = path('LedgerService', 'GetObject');
      const { response, bytes } = await post(url, to, 'application/grpc-web+proto', frame(message));
      assert.equal(response.status, 200);
      const status = response.headers.get('grpc-status') ?? framesOf(bytes).at(-1)!.payload.toString();
      assert.match(status, /5/);
    },
    async 'does not know a method that is not there'({ url }) {
      const to = path('LedgerService', 'GetNothing');
      const { response, bytes } = await post(url, to, 'application/grpc-web+proto', frame(Buffer.alloc(0)));
      const status = response.headers.get('grpc-status') ?? framesOf(bytes).at(-1)!.payload.toString();
      assert.match(status, /12/);
    },
    async 'lets every page call: the preflight allows what the SDK sends'({ url }) {
      const response = await fetch(new URL(path('LedgerService', 'GetServiceInfo'), url), {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-grpc-web,x-sui-client-protocol-version',
        },
      });
      assert.ok(response.ok);
      assert.ok(['*', origin].includes(response.headers.get('access-control-allow-origin')!));
      const allowed = response.headers.get('access-control-allow-headers')!;
      assert.ok(allowed === '*' || allowed.includes('x-grpc-web'), allowed);
    },
    async 'lets every page read the answer and its headers'({ url }) {
      const to = path('LedgerService', 'GetServiceInfo');
      const { response } = await post(url, to, 'application/grpc-web+proto', frame(Buffer.alloc(0)));
      assert.ok(['*', origin].includes(response.headers.get('access-control-allow-origin')!));
      const exposed = response.headers.get('access-control-expose-headers')!;
      assert.ok(exposed === '*' || exposed.includes('grpc-status'), exposed);
    },
  },
  'http',
);
