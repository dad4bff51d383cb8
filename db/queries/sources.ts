import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { FatalError } from '../../lib/errors/index.ts';
import type { TransactionPlace } from '../../services/indexer/sources/source.ts';

/** Where a source stands in the database. */
export interface SourceState {
  cursor: Buffer | null;
  cursorProvider: string | null;
  /** Highest checkpoint covered in full. */
  checkpoint: number;
  eventCount: number;
  lastCheckpoint: number | null;
  lastTxIndex: number | null;
  lastEventIndex: number | null;
  /** First transaction whose events are stored, but not settled; null when all are. */
  unsettledFrom: TransactionPlace | null;
}

export interface SourceIdentity {
  network: Network;
  name: string;
  chainId: string;
}

const stateColumns = `cursor, cursor_provider as "cursorProvider", checkpoint, event_count as "eventCount",
  last_checkpoint as "lastCheckpoint", last_tx_index as "lastTxIndex", last_event_index as "lastEventIndex",
  case when unsettled_from is not null then
    json_build_object('checkpoint', unsettled_from, 'txIndex', coalesce(unsettled_tx_index, 0))
  end as "unsettledFrom"`;

/** A source that is bound to a chain. */
export interface BoundSource extends SourceState {
  /** The event types that its events were chosen by, joined by spaces. */
  filter: string;
}

/**
 * The state to go on from; `undefined` for a source that has never been bound to a chain.
 * @throws FatalError `other_chain` when what is stored is of another chain
 */
export async function readSource(
  client: ClientBase,
  { network, name, chainId }: SourceIdentity,
): Promise<BoundSource | undefined> {
  const bound = await client.query<{ chain_id: string }>(
    `select chain_id from sources where network = $1 and chain_id not in ($2, '') limit 1`,
    [network, chainId],
  );
  if (bound.rows[0]) {
    throw new FatalError(
      'other_chain',
      `The database holds ${network} of chain ${bound.rows[0].chain_id}, and the node serves chain ${chainId}. ` +
        'Use the right node, or another database.',
    );
  }
  const { rows } = await client.query<BoundSource>(
    `select filter, ${stateColumns} from sources where network = $1 and name = $2`,
    [network, name],
  );
  const row = rows[0];
  return row && row.filter !== '' ? row : undefined;
}

/** Binds a new source to its chain and filter; it has then covered everything below checkpoint `first`. */
export async function bindSource(
  client: ClientBase,
  { network, name, chainId }: SourceIdentity,
  { filter, first }: { filter: string; first: number },
): Promise<SourceState> {
  const { rows } = await client.query<SourceState>(
    `update sources set chain_id = $3, filter = $4, checkpoint = $5
      where network = $1 and name = $2 and filter = '' returning ${stateColumns}`,
    [network, name, chainId, filter, first - 1],
  );
  if (!rows[0]) throw new Error(`source ${name} of ${network} was bound by another process`);
  return rows[0];
}

/** Gives a source another filter from its next checkpoint on. The cursor goes: it counts by the former filter. */
export async function changeFilter(
  client: ClientBase,
  { network, name }: SourceIdentity,
  { from, to }: { from: BoundSource; to: string },
): Promise<SourceState> {
  const { rows } = await client.query<SourceState>(
    `update sources set filter = $3, cursor = null, cursor_provider = null
      where network = $1 and name = $2 and filter = $4 and checkpoint = $5 and event_count = $6
      returning ${stateColumns}`,
    [network, name, to, from.filter, from.checkpoint, from.eventCount],
  );
  if (!rows[0]) throw new Error(`source ${name} of ${network} was moved by another process`);
  return rows[0];
}
