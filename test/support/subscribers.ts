import { once } from 'node:events';
import http2 from 'node:http2';
import { GrpcTypes } from '@mysten/sui/grpc';

const streamsPerConnection = 100;
const service = '/sui.rpc.v2.SubscriptionService';

/** Open subscriptions, and counts of what they have received. */
interface Subscribers {
  /** Number of streams that have received data. */
  readonly heard: number;
  /** Number of received bytes, over all streams. */
  readonly bytes: number;
  /** Number of streams that the network has ended. */
  readonly ended: number;
  close(): void;
}

/**
 * Opens subscriptions over native gRPC. The streams are raw, so that this process does hardly any work. Every second
 * one receives each checkpoint, and the others filter for the events of a sender.
 * @param sender by default an address that sends nothing
 */
export async function openSubscribers(
  url: string,
  count: number,
  sender = `0x${'ab'.repeat(32)}`,
): Promise<Subscribers> {
  const events = buildEventsRequest(sender);
  const sessions: http2.ClientHttp2Session[] = [];
  const heard = { streams: 0, bytes: 0, ended: 0 };
  const begun: Promise<unknown>[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % streamsPerConnection === 0) sessions.push(http2.connect(url));
    const { path, body } = index % 2 === 0 ? everyCheckpoint : events;
    const stream = sessions.at(-1)!.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
    });
    stream.once('data', () => {
      heard.streams += 1;
    });
    stream.on('data', (chunk: Buffer) => {
      heard.bytes += chunk.length;
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      heard.ended += 1;
    });
    stream.end(body);
    begun.push(once(stream, 'response'));
  }
  await Promise.all(begun);
  return {
    get heard() {
      return heard.streams;
    },
    get bytes() {
      return heard.bytes;
    },
    get ended() {
      return heard.ended;
    },
    close() {
      for (const session of sessions) session.destroy();
    },
  };
}

const everyCheckpoint = {
  path: `${service}/SubscribeCheckpoints`,
  body: framed(GrpcTypes.SubscribeCheckpointsRequest.toBinary({})),
};

function buildEventsRequest(address: string) {
  const predicate = { oneofKind: 'sender', sender: { address } } as const;
  const filter = { terms: [{ literals: [{ negated: false, predicate }] }] };
  return {
    path: `${service}/SubscribeEvents`,
    body: framed(GrpcTypes.SubscribeEventsRequest.toBinary({ filter })),
  };
}

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
