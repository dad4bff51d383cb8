import type { Port } from '@adaptor-marketplace/process';
import type { NetworkClock } from '../internal/clock.ts';
import { messageOf } from '../internal/errors.ts';
import type { Logger } from '../internal/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type CheckpointRecord, LedgerError } from '../ledger/types.ts';
import { Misbehaviour } from '../misbehaviour/misbehaviour.ts';
import { ChainView } from './convert/chain-view.ts';
import { type GrpcServer, serveGrpc } from './server/serve.ts';
import type { CallContext } from './server/service.ts';
import { GrpcError, GrpcStatusCode } from './server/status.ts';
import { badField } from './server/status-details.ts';
import { CheckpointFeed } from './services/checkpoint-feed.ts';
import { executionService } from './services/execution.ts';
import { forkingService } from './services/forking.ts';
import { chainName, ledgerService } from './services/ledger.ts';
import { nameService } from './services/name.ts';
import { type NameEntry, NameTable } from './services/names.ts';
import { packageService } from './services/package.ts';
import { signatureService } from './services/signature.ts';
import { stateService } from './services/state.ts';
import { subscriptionService } from './services/subscription.ts';

interface NetworkServerOptions {
  ledger: Ledger;
  host: string;
  port: Port;
  log: Logger;
  /** The ledger's, for clients that may move it. */
  clock: NetworkClock;
  /** Default: none. */
  names?: Iterable<NameEntry>;
  misbehaviour?: Misbehaviour;
}

/** Serves a full node's gRPC API over a ledger. What is not listed here answers UNIMPLEMENTED. */
export async function serveNetwork({
  ledger,
  host,
  port,
  log,
  clock,
  names = [],
  misbehaviour = new Misbehaviour(),
}: NetworkServerOptions): Promise<GrpcServer> {
  const view = new ChainView(ledger, misbehaviour);
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
      nameService(new NameTable(names)),
      signatureService(),
      forkingService(ledger, clock),
    ],
    intercept: misbehaviour.intercept,
    headers: stateHeaders(view),
    translateError: (error) => (error instanceof LedgerError ? refusalOf(error) : error),
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

function refusalOf({ code, reason, message }: LedgerError): GrpcError {
  const details = reason === 'InvalidPageToken' ? [badField('page_token', message)] : [];
  return new GrpcError(GrpcStatusCode[code], message, details);
}

/** What the full node says of itself with every answer: the same headers until one of them changes. */
function stateHeaders(view: ChainView): (call: CallContext) => Record<string, string> {
  let known: { newest: CheckpointRecord | undefined; lowest: bigint; chainId: string } | undefined;
  let headers: Record<string, string> = {};
  return (call) => {
    const { chainId } = view;
    const newest = view.newestCheckpoint(call);
    const lowest = view.lowestCheckpoint;
    if (known?.newest === newest && known?.lowest === lowest && known?.chainId === chainId) return headers;
    known = { newest, lowest, chainId };
    headers = {
      'x-sui-chain-id': chainId,
      'x-sui-chain': chainName,
      'x-sui-lowest-available-checkpoint': String(lowest),
      'x-sui-lowest-available-checkpoint-objects': String(view.ledger.lowestAvailableCheckpoint),
      ...(newest && {
        'x-sui-checkpoint-height': String(newest.sequence),
        'x-sui-epoch': String(newest.epoch),
        'x-sui-timestamp-ms': String(newest.timestampMs),
        'x-sui-timestamp': new Date(newest.timestampMs).toISOString(),
      }),
    };
    return headers;
  };
}
