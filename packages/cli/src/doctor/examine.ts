import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { nodeChecks } from './checks.ts';
import { type Handshake, type HandshakeOptions, shakeHands } from './handshake.ts';
import { CallMeter, type Measured, type RateLimit, RequestCounter } from './meter.ts';
import type { CheckedNode, NodeCheck } from './node-check.ts';

export type CheckResult = Measured & Pick<NodeCheck, 'rpc' | 'need' | 'neededFor' | 'without'>;

/** All that was found out about a node. Facts that it did not show are null. */
export interface NodeReport extends Handshake {
  url: string;
  /** Genesis digest. */
  chainId: string | null;
  /** The node's own name of the chain. */
  chain: string | null;
  checkpoints: {
    newest: number | null;
    lowest: number | null;
    /** The lowest checkpoint whose versions of objects are available. */
    lowestObjects: number | null;
    /** Age of the newest checkpoint by the clock of this machine, in milliseconds; negative if it is ahead. */
    newestAgeMs: number | null;
    /** Number of checkpoints by which the list index is behind the newest one. */
    listLag: number | null;
  };
  limits: {
    /** Largest batch of objects that was accepted. No larger one than 1,000 is tried. */
    batchMax: number | null;
    /** Bytes of the largest request that was accepted. */
    requestBytes: number | null;
    /** Bytes of the largest response that was received. */
    responseBytes: number | null;
  };
  /** Milliseconds until the first message of each subscription. */
  firstFrameMs: Record<string, number>;
  requests: { sent: number } & RateLimit;
  checks: CheckResult[];
}

/** Bound on the requests of `examineNode`, with the one of the handshake. */
export const requestsMax = nodeChecks.reduce((sum, check) => sum + check.requestsMax, 1);

/**
 * Sends the calls of every check, one after another. It changes nothing on the chain.
 * @throws HandshakeError if the url leads to no node
 */
export async function examineNode(url: string, { token, timeoutMs }: HandshakeOptions): Promise<NodeReport> {
  const { roundTripMs } = await shakeHands(url, { token, ...(timeoutMs !== undefined && { timeoutMs }) });
  const counter = new RequestCounter();
  counter.sent += 1;
  const client = createChainClient({ url, token });
  const node: CheckedNode = { client, firstFrameMs: {} };
  const checks: CheckResult[] = [];
  try {
    for (const check of nodeChecks) {
      const meter = new CallMeter(counter);
      await check.run(node, meter);
      const { rpc, need, neededFor, without } = check;
      checks.push({ rpc, need, neededFor, without, ...meter.result });
    }
  } finally {
    client.close();
  }
  const { info, batchMax, requestBytes, responseBytes, listLag, firstFrameMs } = node;
  return {
    url,
    roundTripMs,
    chainId: info?.chainId ?? null,
    chain: info?.chain ?? null,
    checkpoints: {
      newest: toNumber(info?.checkpointHeight),
      lowest: toNumber(info?.lowestAvailableCheckpoint),
      lowestObjects: toNumber(info?.lowestAvailableCheckpointObjects),
      newestAgeMs: node.newestAgeMs ?? null,
      listLag: listLag ?? null,
    },
    limits: {
      batchMax: batchMax ?? null,
      requestBytes: requestBytes ?? null,
      responseBytes: responseBytes ?? null,
    },
    firstFrameMs,
    requests: { sent: counter.sent, ...counter.rateLimit },
    checks,
  };
}

const toNumber = (value: bigint | undefined) => (value === undefined ? null : Number(value));
