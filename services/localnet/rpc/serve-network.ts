import { messageOf } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { LedgerError } from '../ledger/types.ts';
import { ChainView } from './chain-view.ts';
import { CheckpointFeed } from './checkpoint-feed.ts';
import { type GrpcServer, serveGrpc } from './server/serve.ts';
import { GrpcError, GrpcStatusCode } from './server/status.ts';
import { executionService } from './services/execution.ts';
import { chainName, ledgerService } from './services/ledger.ts';
import { packageService } from './services/package.ts';
import { stateService } from './services/state.ts';
import { subscriptionService } from './services/subscription.ts';

export interface NetworkServerOptions {
  ledger: Ledger;
  host: string;
  /** 0 takes a free port. */
  port: number;
  log: Logger;
}

/** Serves a full node's gRPC API over a ledger. What is not listed here answers UNIMPLEMENTED. */
export async function serveNetwork({ ledger, host, port, log }: NetworkServerOptions): Promise<GrpcServer> {
  const view = new ChainView(ledger);
  const feed = new CheckpointFeed(ledger);
  const server = await serveGrpc({
    host,
    port,
    services: [
      ledgerService(view),
      stateService(view),
      executionService(view),
      packageService(view),
      subscriptionService(view, feed),
    ],
    headers: () => stateHeaders(view),
    translateError: (error) =>
      error instanceof LedgerError ? new GrpcError(GrpcStatusCode[error.code], error.message) : error,
    onInternalError: (error, method) => log.error({ method, err: messageOf(error) }, 'localnet call failed'),
  });
  return {
    ...server,
    async close() {
      feed.close();
      await server.close();
    },
  };
}

/** What the full node says of itself with every answer. */
function stateHeaders({ ledger, newestCheckpoint: newest }: ChainView): Record<string, string> {
  return {
    'x-sui-chain-id': ledger.chainId,
    'x-sui-chain': chainName,
    'x-sui-lowest-available-checkpoint': String(ledger.lowestAvailableCheckpoint),
    'x-sui-lowest-available-checkpoint-objects': '0',
    ...(newest && {
      'x-sui-checkpoint-height': String(newest.sequence),
      'x-sui-epoch': String(newest.epoch),
      'x-sui-timestamp-ms': String(newest.timestampMs),
      'x-sui-timestamp': new Date(newest.timestampMs).toISOString(),
    }),
  };
}
