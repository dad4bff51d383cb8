import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { policy, scopedCap as scopedCaps } from '@adaptor-marketplace/adaptor/transactions';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { type RunStep, runSteps } from '../lib/agent/shapes.ts';
import { type DemoFile, readDemoFile } from '../services/demo/file.ts';
import { SUI } from '../services/demo/publish.ts';
import { createDataDir } from '../test/support/service.ts';
import type { Options, Result } from './measure.ts';
import { cpuSeconds, median } from './measure.ts';

const runsFull = 60;
const warmUps = 3;

/**
 * Milliseconds from the request of a spend to the end of its stream, through gateway, agent and tool service. The limit is
 * `signAndExecuteTransaction` of the same, prepared transaction by an ordinary client with the same key. Both run in turn
 * against one local network in its own process; the results are medians.
 */
export async function run({ scale }: Options): Promise<Result> {
  const runs = Math.max(5, Math.round(runsFull * scale));
  await using stack = new AsyncDisposableStack();
  const services = await startServices(stack);
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
    aim: 0.2,
    details: {
      runs,
      addedMs: round(value - limit),
      processorMs: of(orchestrated, 'othersMs'),
      processorMsBare: of(bare, 'othersMs'),
      networkProcessorMs: of(orchestrated, 'networkMs'),
      networkProcessorMsBare: of(bare, 'networkMs'),
      ...Object.fromEntries(
        ['request', ...runSteps.slice(runSteps.indexOf('draft'))].map((name) => [
          `${name}Ms`,
          round(median(steps.map((took) => took.get(name) ?? 0))),
        ]),
      ),
    },
  };
}

/** Spends from the wallet of the demo owner with the agent's cap, in both ways. */
async function openSpender(client: ChainClient, { demo, url }: Services) {
  const { owner, agent, packages, network, provider } = demo;
  const terms = { coinType: SUI, amount: 1n, recipient: provider.address };
  const capId = await findCap(client, demo);
  const signer = Ed25519Keypair.fromSecretKey(agent.secretKey);
  // The address owns nothing. The host pays for the runs, and the bare transaction pays its own gas.
  await requestSuiFromFaucetV2({ host: demo.faucetUrl, recipient: agent.address });
  const headers = { authorization: `Bearer ${agent.executorKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({
    ...{ owner: owner.address, walletId: owner.walletId, network, action: 'spend' },
    ...{ ...terms, amount: String(terms.amount) },
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
    /** The same transaction without gas. */
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

/**
 * Records the duration of each step, and the time before the first line as `request`.
 * @throws Error when the run fails
 */
async function followSteps(
  { status, body }: Response,
  started: number,
  took: Map<string, number>,
): Promise<string> {
  if (status !== 200 || !body) throw new Error(`the run was answered with ${status}`);
  let since = started;
  let last: RunStep | undefined;
  for await (const line of createInterface({ input: Readable.from(body) })) {
    const now = performance.now();
    if (!last) took.set('request', now - since);
    last = JSON.parse(line) as RunStep;
    if (last.status !== 'active') took.set(last.step, now - since);
    since = now;
  }
  if (last?.status !== 'done' || !last.digest) throw new Error(JSON.stringify(last));
  return last.digest;
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
    ...{ answer, ms, networkMs: (networkAfter - networkBefore) * 1_000 },
    othersMs: (othersAfter - othersBefore) * 1_000,
  };
}

const round = (ms: number) => Math.round(ms * 10) / 10;

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

/** Starts the local network in one process and the roles that actions need in another, with a durable database. */
async function startServices(stack: AsyncDisposableStack): Promise<Services> {
  const { dir, remove } = await createDataDir();
  stack.defer(remove);
  const network = start(dir, ['localnet'], stack);
  const others = start(dir, ['indexer', 'tools', 'agent', 'gateway'], stack);
  await isReady(others);
  const demo = await readDemoFile(dir);
  if (!demo?.baseUrl) throw new Error('the services are ready and say not where');
  return { demo, url: demo.baseUrl, network, others };
}

function start(dataDir: string, roles: string[], stack: AsyncDisposableStack): ChildProcess {
  const ports = { PORT: '0', LOCALNET_PORT: '0', TOOLS_PORT: '0', AGENT_PORT: '0' };
  const child = spawn(process.execPath, ['--import', tellCpu, main, ...roles], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'error', ...ports },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
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
