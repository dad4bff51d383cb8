import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findServerUser, type RunAs } from '../../../db/embedded/binaries.ts';
import { eventually } from '../eventually.ts';
import { freePorts } from '../free-ports.ts';
import { findPrograms, type Programs } from './programs.ts';
import { type ClusterSettings, describeMember, describeProxy, type Member } from './settings.ts';

interface ClusterMember extends Member {
  /** Url of its server, past HAProxy. */
  url: string;
  /** Starts its Patroni, which starts the server. */
  start(): Promise<void>;
  /** Replicas get none of its changes from now on, until it is killed. */
  holdBackChanges(): Promise<void>;
  /** Ends its Patroni and its server with SIGKILL, as if the machine had lost its power. */
  kill(): Promise<void>;
}

/** PostgreSQL servers under Patroni, with etcd, and with HAProxy before them. */
export interface PatroniCluster {
  /** Leads to the primary of the moment. */
  url: string;
  members: readonly ClusterMember[];
  /** Waits until the cluster has a primary and all other members replicate it. @returns the primary */
  settle(): Promise<ClusterMember>;
  close(): Promise<void>;
}

interface ClusterOptions {
  members: number;
  /** `true`: a commit waits for a replica, so a failover loses nothing that was answered. */
  isSynchronous: boolean;
}

/**
 * Script for `sh -c` that ends a program, and the PostgreSQL server of a data directory, when its input ends. The server
 * has a session of its own, so that no process group has both. Its processes would end the statement that they run. A server that was about to start ends as its folder goes.
 */
const untilInputEnds = `trap '' INT; data=$1; shift; "$@" & cat > /dev/null; kill -9 $!
pid=$(head -n 1 "$data/postmaster.pid" 2> /dev/null) && grep -qF "$data" "/proc/$pid/cmdline" &&
kill -9 "$pid" $(cat "/proc/$pid/task/$pid/children")`;

/** Script for `sh -c` that removes a folder when its input ends, as soon as no program of the folder writes any more. */
const removeFolder = `trap '' INT TERM; cat > /dev/null; until rm -rf "$1" 2> /dev/null; do sleep 1; done`;

/** Starts a cluster on free ports, in a folder of its own. All of it ends with this process. */
export async function startPatroniCluster(options: ClusterOptions): Promise<PatroniCluster> {
  await using starting = new AsyncDisposableStack();
  const programs = await findPrograms();
  const runAs = findServerUser();
  const dir = await makeFolder(undefined, runAs);
  const remover = spawn('sh', ['-c', removeFolder, 'sh', dir], { stdio: ['pipe', 'ignore', 'ignore'] });
  starting.defer(() => end(remover));
  const [etcdPort, peerPort, primaryPort, ...ports] = await freePorts(3 + 2 * options.members);
  const settings: ClusterSettings = {
    scope: 'marketplace',
    password: randomBytes(12).toString('hex'),
    binaries: programs.postgres,
    etcdPort: etcdPort!,
    isSynchronous: options.isSynchronous,
  };
  const launch = createLauncher(dir, programs, runAs);

  const peer = `http://127.0.0.1:${peerPort}`;
  const clients = `http://127.0.0.1:${etcdPort}`;
  const etcd = await launch('etcd', programs.etcd, [
    ...['--data-dir', join(await makeFolder(join(dir, 'etcd'), runAs), 'data')],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...[
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `default=${peer}`,
    ],
  ]);
  starting.defer(() => end(etcd));
  await eventually(() => fetch(`${clients}/health`));

  const members: ClusterMember[] = [];
  for (let at = 0; at < options.members; at += 1) {
    const name = `member${at}`;
    const home = await makeFolder(join(dir, name), runAs);
    const [port, restPort] = ports.slice(2 * at) as [number, number];
    const member = { name, port, restPort, data: join(home, 'data') };
    await writeFile(join(home, 'patroni.yml'), JSON.stringify(describeMember(member, settings)));
    members.push(openMember(member, settings, launch, programs));
  }
  starting.defer(async () => void (await Promise.all(members.map((one) => one.kill()))));
  await writeFile(join(dir, 'haproxy.cfg'), describeProxy(members, primaryPort!));
  // Replicas are copied from the first member, and not made by themselves.
  const [first, ...others] = members;
  await first!.start();
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${first!.restPort}/primary`);
    if (!answer.ok) throw new Error(`no primary: ${answer.status} ${await answer.text()}`);
  });
  for (const other of others) await other.start();
  const haproxy = await launch('haproxy', programs.haproxy, ['-db', '-f', join(dir, 'haproxy.cfg')]);
  starting.defer(() => end(haproxy));

  const url = `postgres://postgres:${settings.password}@127.0.0.1:${primaryPort}/postgres`;
  const settle = () => eventually(() => findPrimary(members, options), { intervalMs: 100 });
  await settle();
  // HAProxy leads to any member until its first checks.
  await eventually(() => query(url, 'create temporary table written ()'));
  const running = starting.move();
  return {
    url,
    members,
    settle,
    close: () => running.disposeAsync(),
  };
}

type Launch = (
  name: string,
  program: string,
  args: readonly string[],
  data?: string,
) => Promise<ChildProcess>;

/** Starts programs that write to a file in `dir`, and that end with this process. */
const createLauncher =
  (dir: string, { env }: Programs, runAs: RunAs | undefined): Launch =>
  async (name, program, args, data = join(dir, name)) => {
    const log = await open(join(dir, `${name}.log`), 'a');
    const child = spawn('sh', ['-c', untilInputEnds, 'sh', data, program, ...args], {
      ...runAs,
      cwd: dir,
      env,
      stdio: ['pipe', log.fd, log.fd],
    });
    await log.close();
    return child;
  };

function openMember(
  member: Member,
  { password }: ClusterSettings,
  launch: Launch,
  { patroni }: Programs,
): ClusterMember {
  let running: ChildProcess | undefined;
  const url = `postgres://postgres:${password}@127.0.0.1:${member.port}/postgres`;
  return {
    ...member,
    url,
    async holdBackChanges() {
      const { rows } = await query(url, 'select pid from pg_stat_replication');
      for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
    },
    async start() {
      running = await launch(member.name, patroni, [join(member.data, '../patroni.yml')], member.data);
    },
    async kill() {
      if (running) await end(running);
      running = undefined;
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin!.end();
  await exited;
}

interface MemberState {
  name: string;
  role: string;
  state: string;
  timeline?: number;
}

/** @throws Error unless the cluster has one primary whose timeline all other members follow */
async function findPrimary(
  members: readonly ClusterMember[],
  { isSynchronous }: ClusterOptions,
): Promise<ClusterMember> {
  const answers = await Promise.any(
    members.map(async ({ restPort }) => (await fetch(`http://127.0.0.1:${restPort}/cluster`)).json()),
  );
  const states: MemberState[] = answers.members;
  const leader = states.find(({ role }) => role === 'leader');
  const follows = ({ state, timeline }: MemberState) =>
    ['running', 'streaming'].includes(state) && timeline === leader?.timeline;
  const isWaited = !isSynchronous || states.some(({ role }) => role === 'sync_standby');
  if (!leader || states.length < members.length || !states.every(follows) || !isWaited)
    throw new Error(`the cluster has not settled: ${JSON.stringify(states)}`);
  return members.find(({ name }) => name === leader.name)!;
}

async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** @param path absent: a temporary folder */
async function makeFolder(path: string | undefined, runAs: RunAs | undefined): Promise<string> {
  const folder = path ?? (await mkdtemp(join(tmpdir(), 'marketplace-patroni-')));
  if (path !== undefined) await mkdir(path);
  await chmod(folder, 0o700);
  if (runAs) await chown(folder, runAs.uid, runAs.gid);
  return folder;
}
