import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { coalesce } from '../../lib/concurrency/single-flight.ts';
import { isDatabaseAway } from '../../lib/errors/database-away.ts';
import type { Logger } from '../../lib/log/index.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../client.ts';
import type { Queryable } from '../queries/queryable.ts';
import { Standing } from './standing.ts';

/**
 * Reads of one request. All go to the same replica, so that a later read never sees an older state. After a failure of
 * the replica, all go to the primary.
 */
export interface Read extends Queryable {
  /** Runs reads on the chosen pool. They run again on the primary if the replica fails, so they must not write. */
  run<T>(work: (pool: Pool) => Promise<T>): Promise<T>;
}

/** A position in the primary's WAL. It covers everything that the caller had read from the primary before. */
interface Announced {
  position: bigint;
  primary: ServerRow;
  /** Number of changes that were announced before the position was read. */
  changes: number;
}

interface ReplicaCondition {
  /** Number in the order of the setting, from 1. */
  replica: number;
  state: ReturnType<Standing['state']>;
  lagMs: number;
  /** Number of requests whose reads began on this replica, since the process started. */
  reads: number;
}

export interface ReadPools {
  hasReplicas: boolean;
  /** Chooses the server for the reads of a request: a replica that has replayed everything announced, else the primary. */
  begin(): Read;
  /** Sends reads to the primary until a position read after this call is required. */
  expectChange(): void;
  /**
   * Reads the WAL position that covers everything that the caller has read from the primary. Without replicas, runs no
   * statement and returns undefined.
   */
  readPosition(): Promise<Announced | undefined>;
  /** Takes replicas out until they have replayed the position. */
  require(announced: Announced | undefined): void;
  conditions(): { primaryReads: number; replicas: ReplicaCondition[] };
  close(): Promise<void>;
}

export interface ReadPoolsOptions {
  primary: Pool;
  urls: readonly string[];
  lagMsMax: number;
  /** Set if the urls may lead to poolers. Each must serve one replica: the probe of one says nothing about another. */
  pooler?: DatabaseOptions['pooler'];
  log: Logger;
}

interface Replica {
  number: number;
  db: Database;
  standing: Standing;
  reads: number;
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** Interval of the probes that find a replica that has failed or come back. */
const probeMs = 1_000;
/** A replica that does not answer a probe in this time has disappeared. */
const probeTimeoutMs = 2_000;
/** Pauses between probes of a replica that is behind; after the last, the interval applies. */
const catchUpMs = [2, 4, 8, 16, 32, 64, 128, 256] as const;

/** Opens the replicas' pools. Without urls, every read goes to the primary, and no probe runs. */
export function openReadPools({ primary, urls, lagMsMax, pooler, log }: ReadPoolsOptions): ReadPools {
  let changes = 0;
  let announced: Announced | undefined;
  let primaryReads = 0;
  let next = 0;
  const onPrimary = readFrom(primary);
  const readPrimary = openServerReader(primary, primaryPosition);
  const replicas = urls.map((url, at) =>
    openReplica({
      url,
      number: at + 1,
      max: primary.options.max,
      lagMsMax,
      pooler,
      log,
      primary: () => announced?.primary,
    }),
  );
  const probeAll = () => {
    for (const replica of replicas) void replica.probe();
  };
  const timer = replicas.length > 0 ? setInterval(probeAll, probeMs) : undefined;

  function choose(): Replica | undefined {
    if (announced?.changes !== changes) return undefined;
    const nowMs = performance.now();
    const ready = replicas.filter(({ standing }) => standing.state(nowMs, lagMsMax) === 'ready');
    next = (next + 1) % Math.max(1, ready.length);
    return ready[next];
  }

  return {
    hasReplicas: replicas.length > 0,
    begin() {
      const replica = replicas.length > 0 ? choose() : undefined;
      if (!replica) {
        primaryReads += 1;
        return onPrimary;
      }
      replica.reads += 1;
      return openRead(replica, onPrimary, log);
    },
    expectChange() {
      changes += 1;
    },
    async readPosition() {
      if (replicas.length === 0) return undefined;
      const changesBefore = changes;
      const row = await readPrimary();
      return { position: BigInt(row.position!), primary: row, changes: changesBefore };
    },
    require(position) {
      if (!position) return;
      announced = position;
      for (const { standing } of replicas) standing.require(position.position, performance.now());
      probeAll();
    },
    conditions() {
      const nowMs = performance.now();
      return {
        primaryReads,
        replicas: replicas.map(({ number, standing, reads }) => ({
          replica: number,
          state: standing.state(nowMs, lagMsMax),
          lagMs: Math.round(standing.lagMs(nowMs)),
          reads,
        })),
      };
    },
    async close() {
      clearInterval(timer);
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}

/** Reads on one pool, which is also used after a failure. */
export const readFrom = (pool: Pool): Read => ({
  query: pool.query.bind(pool),
  run: (work) => work(pool),
});

/** Reads on a replica until it fails, and then on the primary. */
function openRead(replica: Replica, onPrimary: Read, log: Logger): Read {
  let failed = false;
  const run: Read['run'] = async (work) => {
    if (failed) return await onPrimary.run(work);
    try {
      return await work(replica.db.pool);
    } catch (error) {
      if (!isServerFault(error)) throw error;
      failed = true;
      if (!isConflict(error)) takeOut(replica, error, log);
      return await onPrimary.run(work);
    }
  };
  const query = (...args: Parameters<Pool['query']>) => run((pool) => pool.query(...args) as never);
  return { run, query: query as Pool['query'] };
}

const readCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** `true` if replay cancelled the read: the replica works, and the primary has no such conflicts. */
const isConflict = (error: unknown): boolean => /^40/.test(readCode(error));

/** `true` if the read may succeed on the primary: the server is away, damaged, out of resources, or cancelled it for replay. */
export const isServerFault = (error: unknown): boolean =>
  isDatabaseAway(error) || isConflict(error) || /^(5[38]|57P|XX)/.test(readCode(error));

function takeOut({ number, standing }: Replica, error: unknown, log: Logger): void {
  if (standing.state(performance.now(), 0) !== 'failing')
    log.warn({ replica: number, reason: getErrorMessage(error) }, 'a read replica left the pool');
  standing.fail();
}

/** WAL position of a server, and the identity of its data: a replica of other data than the primary is refused. */
interface ServerRow {
  position: string | null;
  installation: string;
  /** Null if the role may not read it. */
  cluster: string | null;
}

const primaryPosition = `(pg_current_wal_insert_lsn() - '0/0')::text`;
/** Null on a promoted server, which would go on to report the position of its promotion. */
const replicaPosition = `case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end`;

const buildServerSql = (
  position: string,
  cluster: string,
) => `select ${position} as position, ${cluster} as cluster,
  current_database() || '/' || (select encode(sha256(secret), 'hex') from installation_secret) as installation`;

const clusterSql = '(select system_identifier::text from pg_control_system())';

/** SQLSTATE of a role without the privilege. Some hosted databases do not grant `pg_control_system`. */
const insufficientPrivilege = '42501';

/** Returns a function that reads a server's row. Once the server refuses the cluster's id, it reads the row without. */
function openServerReader(pool: Pool, position: string): () => Promise<ServerRow> {
  let mayReadCluster = true;
  const read = async (cluster: string) =>
    (await pool.query<ServerRow>(buildServerSql(position, cluster))).rows[0]!;
  return async () => {
    if (!mayReadCluster) return await read('null');
    try {
      return await read(clusterSql);
    } catch (error) {
      if (readCode(error) !== insufficientPrivilege) throw error;
      mayReadCluster = false;
      return await read('null');
    }
  };
}

const hasSameData = (one: ServerRow, other: ServerRow): boolean =>
  one.installation === other.installation &&
  (one.cluster === null || other.cluster === null || one.cluster === other.cluster);

interface ReplicaOptions {
  url: string;
  number: number;
  max: number;
  lagMsMax: number;
  pooler: DatabaseOptions['pooler'];
  primary: () => ServerRow | undefined;
  log: Logger;
}

function openReplica({ url, number, max, lagMsMax, pooler, primary, log }: ReplicaOptions): Replica {
  const db = openDatabase(url, {
    max,
    name: 'gateway reads',
    statementTimeoutMs: 10_000,
    pipeline: true,
    connectTimeoutMs: probeTimeoutMs,
    pooler,
    log,
  });
  // Reads that wait for connections must not delay the probe.
  const prober = openDatabase(url, {
    max: 1,
    name: 'gateway replica probe',
    connectTimeoutMs: probeTimeoutMs,
    pooler,
    queryTimeoutMs: probeTimeoutMs,
    log,
  });
  const readReplica = openServerReader(prober.pool, replicaPosition);
  const sockets = new Set<{ destroy(): void }>();
  db.pool.on('connect', (client) => {
    sockets.add(client.connection.stream);
    client.once('end', () => sockets.delete(client.connection.stream));
  });
  let closed = false;
  let pause = 0;
  let retry: NodeJS.Timeout | undefined;

  const probe = coalesce(async () => {
    clearTimeout(retry);
    if (closed) return;
    try {
      const replicaRow = await readReplica();
      const { position } = replicaRow;
      if (position === null) throw new Error('the server is not a replica: it is not in recovery');
      const primaryRow = primary();
      if (primaryRow && !hasSameData(replicaRow, primaryRow))
        throw new Error('the server is a replica of another server or database');
      const before = replica.standing.state(performance.now(), lagMsMax);
      replica.standing.observe(BigInt(position));
      const after = replica.standing.state(performance.now(), lagMsMax);
      if (before === 'failing' || (before === 'lagging' && after !== 'lagging'))
        log.info({ replica: number }, 'a read replica is back');
      pause = after === 'behind' ? pause : 0;
      const pauseMs = catchUpMs[pause];
      if (after !== 'behind' || pauseMs === undefined) return;
      pause += 1;
      retry = setTimeout(probe, pauseMs);
    } catch (error) {
      if (closed) return;
      takeOut(replica, error, log);
      // Ends the reads that wait for a server that is gone. They run again on the primary.
      for (const socket of sockets) socket.destroy();
    }
  });

  const replica: Replica = {
    number,
    db,
    standing: new Standing(),
    reads: 0,
    probe,
    async close() {
      closed = true;
      clearTimeout(retry);
      await Promise.all([db.close(), prober.close()]);
    },
  };
  return replica;
}
