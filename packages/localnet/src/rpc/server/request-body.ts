import type { HttpRequest } from './exchange.ts';
import type { HeldBytes } from './held-bytes.ts';
import { GrpcError, GrpcStatusCode } from './status.ts';

export interface BodyLimits {
  maxRequestBytes: number;
  /** Longest that a body may take to come whole. */
  stallMs: number;
  /** What the bodies that are still coming hold. */
  incoming: HeldBytes;
}

/** The whole body. Rejects with a GrpcError, and keeps nothing of it, when it is too large, too slow or cut off. */
export function readBody(request: HttpRequest, limits: BodyLimits): Promise<Buffer> {
  const { maxRequestBytes, stallMs, incoming } = limits;
  return new Promise<Buffer>((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    let isOver = false;
    const end = () => {
      isOver = true;
      clearTimeout(stalled);
      incoming.release(bytes);
      bytes = 0;
      chunks = [];
    };
    const cutOff = () => {
      // Every body closes; making an error takes a stack trace.
      if (!isOver) refuse(bodyCutOff());
    };
    const refuse = (error: GrpcError) => {
      end();
      reject(error);
    };
    const stalled = setTimeout(cutOff, stallMs);
    request.on('data', (chunk) => {
      // What comes after a refusal is read and thrown away, so that the client sees the answer.
      if (isOver) return;
      const { refusal = bytes + chunk.length > maxRequestBytes ? tooLarge(maxRequestBytes) : undefined } =
        incoming;
      if (refusal) return refuse(refusal);
      bytes += chunk.length;
      incoming.add(chunk.length);
      chunks.push(chunk);
    });
    request.on('end', () => {
      const whole = Buffer.concat(chunks);
      end();
      resolve(whole);
    });
    request.on('error', cutOff);
    request.on('close', cutOff);
  });
}

const bodyCutOff = () => new GrpcError(GrpcStatusCode.CANCELLED, 'the request body is incomplete');

const tooLarge = (limit: number) =>
  new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, `the request exceeds ${limit} bytes`);
