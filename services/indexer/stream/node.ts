import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';

export interface ServiceInfo {
  /** Digest of the genesis checkpoint. */
  chainId: string;
  /** Highest checkpoint the node has executed. */
  tip: number;
  /** Its timestamp. */
  tipAt: Date;
  /** Lowest checkpoint whose transactions the node still keeps. */
  lowestAvailable: number;
}

/** A full node that is followed. */
export interface LedgerNode {
  url: string;
  client: ChainClient;
  info(signal: AbortSignal): Promise<ServiceInfo>;
  close(): void;
}

const timeoutMs = 10_000;

export function openNode(url: string, token?: string): LedgerNode {
  const client = createChainClient({ url, token });
  return {
    url,
    client,
    close: () => client.close(),
    async info(signal) {
      const { response } = await client.ledgerService.getServiceInfo({}, callOptions(timeoutMs, signal));
      const { chainId, checkpointHeight, lowestAvailableCheckpoint, timestamp } = response;
      if (!chainId) throw new Error(`${url} does not say which chain it serves`);
      return {
        chainId,
        tip: Number(checkpointHeight ?? -1n),
        tipAt: new Date(Number(timestamp?.seconds ?? 0n) * 1000 + (timestamp?.nanos ?? 0) / 1e6),
        lowestAvailable: Number(lowestAvailableCheckpoint ?? 0n),
      };
    },
  };
}
