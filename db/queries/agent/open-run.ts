import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../transaction.ts';
import { type Claim, type OverLimit, reserve } from './reserve.ts';
import { linesOf, linesSql, type NewLines } from './steps.ts';

export interface NewRun {
  network: string;
  walletId: string;
  owner: string;
  action: string;
  request: Record<string, unknown>;
  requestId: string | null;
  requestHash: string;
  caller: string;
  agent: string;
  worker: number;
  startedAt: Date;
  /** What is known of what it takes. */
  claims: readonly Claim[];
  lines: NewLines['lines'];
}

/** What became of a request for a run. */
export type Opening =
  | { kind: 'opened'; run: number }
  /** A run of this request id exists. */
  | { kind: 'known'; run: number; requestHash: string }
  /** Another run of the wallet is open, driven by this worker. */
  | { kind: 'busy'; worker: number }
  | { kind: 'frozen'; all: boolean; reason: string }
  | { kind: 'overLimit'; limit: OverLimit };

class Refusal extends Error {
  readonly opening: Opening;

  constructor(opening: Opening) {
    super(opening.kind);
    this.opening = opening;
  }
}

/** Opens a run, with what it takes set aside; or says why not, in the order in which that is looked for. */
export async function openRun(db: Pool, wanted: NewRun): Promise<Opening> {
  try {
    return await inTransaction(db, (client) => open(client, wanted));
  } catch (error) {
    if (error instanceof Refusal) return error.opening;
    throw error;
  }
}

const insertSql = `
with run as (
  insert into agent_runs (network, wallet_id, owner, action, request, request_id, request_hash, caller, agent,
    worker, started_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  on conflict do nothing returning id
), added as (${linesSql('run', 12)})
select id from run`;

async function open(client: ClientBase, wanted: NewRun): Promise<Opening> {
  const { network, walletId, startedAt } = wanted;
  const { rows } = await client.query<{ id: number }>(insertSql, [
    network,
    walletId,
    wanted.owner,
    wanted.action,
    wanted.request,
    wanted.requestId,
    wanted.requestHash,
    wanted.caller,
    wanted.agent,
    wanted.worker,
    startedAt,
    ...linesOf({ place: 0, lines: wanted.lines, at: startedAt }),
  ]);
  const run = rows[0]?.id;
  // What stood in the way may have ended since; then it is as if it had not.
  if (run === undefined) return (await findRun(client, wanted)) ?? { kind: 'busy', worker: wanted.worker };
  const frozen = await findFreeze(client, network, walletId);
  if (frozen) throw new Refusal({ kind: 'frozen', ...frozen });
  const limit = await reserve(client, run, wanted.claims);
  if (limit) throw new Refusal({ kind: 'overLimit', limit });
  return { kind: 'opened', run };
}

const findSql = `
select id as run, request_hash as "requestHash", worker, request_id is not distinct from $3 as known
from agent_runs
where network = $1 and wallet_id = $2 and (request_id = $3 or state in ('running', 'signed', 'unknown'))
order by request_id is not distinct from $3 desc limit 1`;

/** What stands in the way of a new run: the run that its request id names, else the wallet's open one. */
export async function findRun(
  db: Pool | ClientBase,
  { network, walletId, requestId }: Pick<NewRun, 'network' | 'walletId' | 'requestId'>,
): Promise<Extract<Opening, { kind: 'known' | 'busy' }> | undefined> {
  const { rows } = await db.query<{ run: number; requestHash: string; worker: number; known: boolean }>({
    name: 'agent-find-run',
    text: findSql,
    values: [network, walletId, requestId],
  });
  const [found] = rows;
  if (!found) return undefined;
  const { run, requestHash, worker, known } = found;
  return known && requestId !== null ? { kind: 'known', run, requestHash } : { kind: 'busy', worker };
}

/** Matches the freezes that stop a wallet's runs: its own, its network's, or the one of all. */
export const freezeOf = (network: string, walletId: string) =>
  `(f.network = '*' or f.network = ${network}) and (f.wallet_id = '*' or f.wallet_id = ${walletId})`;

async function findFreeze(
  client: ClientBase,
  network: string,
  walletId: string,
): Promise<{ all: boolean; reason: string } | undefined> {
  const { rows } = await client.query<{ all: boolean; reason: string }>(
    `select f.wallet_id = '*' as all, f.reason from agent_freezes f where ${freezeOf('$1', '$2')}
      order by f.wallet_id = '*' desc limit 1`,
    [network, walletId],
  );
  return rows[0];
}
