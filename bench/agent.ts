import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { policy, scopedCap as scopedCaps } from '@adaptor-marketplace/adaptor/transactions';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { runSteps } from '../lib/agent/shapes.ts';
import { type DemoFile, readDemoFile } from '../services/demo/file.ts';
import { SUI } from '../services/demo/publish.ts';
import { endChild } from '../test/support/end-child.ts';
import { moveAway } from '../test/support/move-away.ts';
import { createDataDir } from '../test/support/service.ts';
import { followSteps, openWallets } from './agent/wallets.ts';
import type { Options, Result } from './measure.ts';
import { cpuSeconds, median } from './measure.ts';

const runsFull = 60;
/** Runs before the first that counts: the engine compiles what runs often. */
const warmUps = 20;
const roundsFull = 15;
/** Admin secret of the bench, which issues the executor keys of its wallets. */
const adminSecret = 'the-admin-secret-of-the-bench';

/**
 * Milliseconds from the request of a spend to the end of its stream, through gateway, agent and tool service. The limit
 * is `signAndExecuteTransaction` of the same, prepared transaction by an ordinary client with the same key. Both run in
 * turn against one local network in its own process; the results are medians.
 *
 * Then ten wallets spend at the same time, and one after another, by turns: `atOnceShare` is the time of the first
 * divided by that of the second. The network executes one transaction after another in one process, and the services
 * run in another process. `networkShareAtOnce` and `othersShareAtOnce` are the share of the time in which each of them
 * works: 1 is one processor. `lowestShare` is the share if the work waited only for processors. Each of the two
 * processes uses at most one of those of the machine. The work of PostgreSQL is not included.
 */
export async function run({ scale, delay: distanceMs }: Options): Promise<Result> {
  const runs = Math.max(5, Math.round(runsFull * scale));
  await using stack = new AsyncDisposableStack();
  const services = await startServices(stack, distanceMs);
  const client = createChainClient({ url: services.demo.rpcUrl });
  stack.defer(() => client.close());
  const spender = await openSpender(client, services);
  await spender.isKnown();

  const orchestrated: Timed[] = [];
  const bare: Timed[] = [];
  const steps: Map<string, number>[] = [];
  for (let nth = -warmUps; nth < runs; nth += 1) {
    const took = new Map<string, number>();
    const asked = await timed(services, () => spender.ask(took));
    const made = await spender.make();
    const sent = await timed(services, () => spender.send(made));
    if (nth === -warmUps) await requireSame(client, asked.answer, sent.answer);
    else await client.waitForTransaction({ digest: sent.answer });
    if (nth < 0) continue;
    orchestrated.push(asked);
    steps.push(took);
    bare.push(sent);
  }
  const together = await compareTogether(services, client, Math.max(3, Math.round(roundsFull * scale)));
  const of = (times: Timed[], figure: 'ms' | 'networkMs' | 'othersMs') =>
    round(median(times.map((time) => time[figure])));
  const [value, limit] = [of(orchestrated, 'ms'), of(bare, 'ms')];
  return {
    name: 'agent',
    unit: 'ms',
    value,
    limit,
    limitName: 'bare signAndExecuteTransaction of the same transaction',
    // Less time is better.
    ratio: limit / value,
    aim: 0.4,
    details: {
      runs,
      addedMs: round(value - limit),
      processorMs: of(orchestrated, 'othersMs'),
      processorMsBare: of(bare, 'othersMs'),
      networkProcessorMs: of(orchestrated, 'networkMs'),
      networkProcessorMsBare: of(bare, 'networkMs'),
      ...together,
      ...Object.fromEntries(
        ['request', ...runSteps.slice(runSteps.indexOf('draft'))].map((name) => [
          `${name}Ms`,
          round(median(steps.map((took) => took.get(name) ?? 0))),
        ]),
      ),
    },
  };
}

/** Spends of several wallets at once, and the same spends one after another. */
async function compareTogether(
  services: Services,
  client: ChainClient,
  rounds: number,
): Promise<Record<string, number>> {
  const spends = await openWallets({ ...services, adminSecret }, client);
  const all = () => Promise.all(spends.map((spend) => spend()));
  const each = async () => {
    for (const spend of spends) await spend();
  };
  await each();
  await all();
  const atOnce: Timed[] = [];
  const inTurn: Timed[] = [];
  for (let round = 0; round < rounds; round += 1) {
    atOnce.push(await timed(services, all));
    inTurn.push(await timed(services, each));
  }
  const of = (times: Timed[], figure: 'ms' | 'networkMs' | 'othersMs') =>
    median(times.map((time) => time[figure]));
  return {
    wallets: spends.length,
    atOnceMs: round(of(atOnce, 'ms')),
    inTurnMs: round(of(inTurn, 'ms')),
    atOnceShare: hundredths(of(atOnce, 'ms') / of(inTurn, 'ms')),
    lowestShare: hundredths(lowestMs(of(atOnce, 'networkMs'), of(atOnce, 'othersMs')) / of(inTurn, 'ms')),
    networkShareAtOnce: hundredths(of(atOnce, 'networkMs') / of(atOnce, 'ms')),
    othersShareAtOnce: hundredths(of(atOnce, 'othersMs') / of(atOnce, 'ms')),
  };
}

/** The shortest time for the work of two processes, each of which uses one processor at a time. */
const lowestMs = (one: number, other: number) => Math.max(one, other, (one + other) / availableParallelism());

/** Spends from the wallet of the demo owner with the agent's cap, in both ways. */
async function openSpender(client: ChainClient, { demo, url }: Services) {
  const { owner, agent, packages, network, provider } = demo;
  const terms = { coinType: SUI, amount: 1n, recipient: provider.address };
  const capId = await findCap(client, demo);
  const signer = Ed25519Keypair.fromSecretKey(agent.secretKey);
  // The address owns nothing. The managed key pays for the runs, and the bare transaction pays its own gas.
  await requestSuiFromFaucetV2({ host: demo.faucetUrl, recipient: agent.address });
  const headers = { authorization: `Bearer ${agent.executorKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({
    owner: owner.address,
    walletId: owner.walletId,
    network,
    action: 'spend',
    ...terms,
    amount: String(terms.amount),
  });
  const post = () => fetch(`${url}/api/agent/run`, { method: 'POST', headers, body });
  return {
    /** Resolves when the wallet is indexed. */
    async isKnown(): Promise<void> {
      for (;;) {
        const answer = await post();
        // The run ends with its last line.
        const text = await answer.text();
        if (answer.status === 200) return;
        if (!text.includes('wallet_not_found')) throw new Error(`the run was refused: ${text}`);
        await delay(100);
      }
    },
    /** Requests a spend and returns its digest. */
    async ask(took: Map<string, number>): Promise<string> {
      const started = performance.now();
      return followSteps(await post(), started, took);
    },
    /** Builds the same transaction, without gas. */
    async make(): Promise<Transaction> {
      const tx = new Transaction();
      const wallet = { packageId: packages.wallet, wallet: owner.walletId };
      const request = policy.beginSpend(tx, wallet, terms);
      scopedCaps.spend(tx, packages.wallet, { capId, request });
      policy.confirmSpend(tx, wallet, { coinType: SUI, request });
      return Transaction.fromKind(await tx.build({ client, onlyTransactionKind: true }));
    },
    async send(transaction: Transaction): Promise<string> {
      const done = await client.signAndExecuteTransaction({ transaction, signer });
      if (done.$kind === 'FailedTransaction') throw new Error(JSON.stringify(done.FailedTransaction.status));
      return done.Transaction.digest;
    },
  };
}

/** The scoped cap of the agent for the wallet of the owner. */
async function findCap(client: ChainClient, { agent, owner, packages }: Services['demo']): Promise<string> {
  const type = `${packages.wallet}::sub_delegate::ScopedCap`;
  const { objects } = await client.listOwnedObjects({ owner: agent.address, type, include: { json: true } });
  const cap = objects.find(({ json }) => json?.wallet_id === owner.walletId);
  if (!cap) throw new Error('the agent has no scoped cap of the wallet');
  return cap.objectId;
}

/** @throws Error unless both call the same functions of the same objects */
async function requireSame(client: ChainClient, ...digests: string[]): Promise<void> {
  const calls = await Promise.all(
    digests.map(async (digest) => {
      await client.waitForTransaction({ digest });
      const read = await client.getTransaction({ digest, include: { transaction: true } });
      return JSON.stringify(read.Transaction?.transaction.commands);
    }),
  );
  if (calls[0] === undefined || calls[0] !== calls[1]) throw new Error(`not the same: ${calls.join(' ')}`);
}

interface Timed {
  ms: number;
  /** Processor time of the local network and of the other roles, without PostgreSQL. */
  networkMs: number;
  othersMs: number;
}

async function timed<T>(
  { network, others }: Services,
  work: () => Promise<T>,
): Promise<Timed & { answer: T }> {
  const used = () => Promise.all([network, others].map(cpuSeconds));
  const [networkBefore = 0, othersBefore = 0] = await used();
  const started = performance.now();
  const answer = await work();
  const ms = performance.now() - started;
  const [networkAfter = 0, othersAfter = 0] = await used();
  return {
    answer,
    ms,
    networkMs: (networkAfter - networkBefore) * 1_000,
    othersMs: (othersAfter - othersBefore) * 1_000,
  };
}

const round = (ms: number) => Math.round(ms * 10) / 10;
const hundredths = (share: number) => Math.round(share * 100) / 100;

const main = join(import.meta.dirname, '../services/main.ts');
const tellCpu = new URL('tell-cpu.ts', import.meta.url).href;

/** The whole service as an operator runs it. The stack stops it. */
interface Services {
  demo: DemoFile;
  /** Url of the HTTP API. */
  url: string;
  /** The process of the local network, and the one of all other roles. */
  network: ChildProcess;
  others: ChildProcess;
}

/**
 * Starts the local network in one process and the roles that actions need in another, with a durable database. The roles
 * and the bench reach the network over the distance.
 */
async function startServices(stack: AsyncDisposableStack, distanceMs: number): Promise<Services> {
  const { dir, remove } = await createDataDir();
  stack.defer(remove);
  const network = start(dir, ['localnet'], stack);
  if (distanceMs > 0) await moveNetwork(dir, distanceMs, stack);
  const others = start(dir, ['indexer', 'tools', 'agent', 'gateway'], stack);
  await isReady(others);
  const demo = await readDemoFile(dir);
  if (!demo?.baseUrl) throw new Error('the services are ready and say not where');
  return { demo, url: demo.baseUrl, network, others };
}

/** Writes the proxy's address to the file, so that the roles that read it find the network at a distance. */
async function moveNetwork(dir: string, distanceMs: number, stack: AsyncDisposableStack): Promise<void> {
  for (;;) {
    const demo = await readDemoFile(dir);
    if (demo) {
      const rpcUrl = await moveAway(demo.rpcUrl, distanceMs, stack);
      await writeFile(join(dir, 'demo.json'), JSON.stringify({ ...demo, rpcUrl }));
      return;
    }
    await delay(100);
  }
}

function start(dataDir: string, roles: string[], stack: AsyncDisposableStack): ChildProcess {
  const ports = { PORT: '0', LOCALNET_PORT: '0', TOOLS_PORT: '0', AGENT_PORT: '0' };
  // Enough for every round; what a run costs does not depend on how high a limit is.
  const limits = {
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    AGENT_RUNS_DAILY: '100000',
    AGENT_GAS_DAILY: 'wallet=1000000000000,owner=1000000000000',
  };
  const child = spawn(process.execPath, [...process.execArgv, '--import', tellCpu, main, ...roles], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'error', ...ports, ...limits },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  stack.defer(() => endChild(child));
  return child;
}

async function isReady({ stdout }: ChildProcess): Promise<void> {
  for await (const line of createInterface(stdout!)) {
    if (!line.startsWith('Ready.')) continue;
    stdout!.resume();
    return;
  }
  throw new Error('the services ended before they were ready');
}
