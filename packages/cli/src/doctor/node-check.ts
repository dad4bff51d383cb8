import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { RpcError, type RpcOptions } from '@protobuf-ts/runtime-rpc';
import type { CallMeter } from './meter.ts';

/** A node that is checked, and what earlier checks found. Each fact is undefined until its check has found it. */
export interface CheckedNode {
  client: ChainClient;
  info?: GrpcTypes.GetServiceInfoResponse;
  /** Age of the newest checkpoint when its response arrived, by the clock of this machine, in milliseconds. */
  newestAgeMs?: number;
  /** Digest of a transaction of the newest checkpoint. */
  digest?: string;
  /** Largest accepted batch of objects, among the sizes that are tried. */
  batchMax?: number;
  /** Bytes of the largest accepted request. */
  requestBytes?: number;
  /** Bytes of the largest response. */
  responseBytes?: number;
  /** Number of checkpoints by which the list index is behind the newest one. */
  listLag?: number;
  /** Milliseconds until the first message of each subscription. */
  firstFrameMs: Record<string, number>;
}

/**
 * Condition under which the service needs an RPC to run at all. It follows the chain by the list index if the node has
 * it, and otherwise by whole checkpoints. `optional`: a part of the service is slower or absent without it.
 */
type Need = 'always' | 'with lists' | 'without lists' | 'optional';

/** An RPC that the service uses. */
export interface NodeCheck {
  /** `<service>/<method>` of `sui.rpc.v2`. */
  rpc: string;
  need: Need;
  neededFor: string;
  /** Effect on the service if the node does not serve the RPC. */
  without: string;
  /** Bound on the number of requests. */
  requestsMax: number;
  run(node: CheckedNode, meter: CallMeter): Promise<void>;
}

/** Number of calls whose median is the latency. */
export const samples = 3;
/** Bound on the wait for the first message of a subscription, in milliseconds. */
const frameMs = 15_000;

export async function repeat(call: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < samples; count++) await call();
}

type CheckTexts = Pick<NodeCheck, 'rpc' | 'need' | 'neededFor' | 'without'>;

/**
 * A check that sends the same request several times.
 * @param isAnswer returns `true` for an error that shows that the node serves the RPC
 */
export function createSimpleCheck(
  texts: CheckTexts,
  call: (client: ChainClient, options: RpcOptions) => PromiseLike<unknown>,
  isAnswer?: (error: RpcError) => boolean,
): NodeCheck {
  return {
    ...texts,
    requestsMax: samples,
    run: ({ client }, meter) => repeat(() => meter.send((options) => call(client, options), isAnswer)),
  };
}

/** A check that reads the transaction of the newest checkpoint several times. */
export function createTransactionCheck(
  texts: CheckTexts,
  call: (client: ChainClient, digest: string, options: RpcOptions) => PromiseLike<unknown>,
): NodeCheck {
  return {
    ...texts,
    requestsMax: samples,
    run: ({ client, digest = '1'.repeat(32) }, meter) =>
      repeat(() => meter.send((options) => call(client, digest, options), isNotFound)),
  };
}

/** A node that says that something does not exist serves the RPC. */
export const isNotFound = ({ code }: RpcError) => code === 'NOT_FOUND';

interface StreamCheck extends CheckTexts {
  open(client: ChainClient, options: RpcOptions): { responses: AsyncIterable<object> };
}

/** A check that waits for the first message of a subscription, and then cancels it. */
export function createStreamCheck({ open, ...texts }: StreamCheck): NodeCheck {
  return {
    ...texts,
    requestsMax: 1,
    async run(node, meter) {
      const startedAt = performance.now();
      const cancel = new AbortController();
      try {
        await meter.send(async () => {
          const { responses } = open(node.client, { abort: cancel.signal, timeout: frameMs });
          for await (const _ of responses) {
            node.firstFrameMs[texts.rpc] = performance.now() - startedAt;
            return;
          }
          throw new RpcError('the stream ended without a message', 'UNAVAILABLE');
        });
      } finally {
        cancel.abort();
      }
    },
  };
}

export function noteResponse(node: CheckedNode, bytes: number): void {
  node.responseBytes = Math.max(node.responseBytes ?? 0, bytes);
}
