import { moveAway } from '../test/support/move-away.ts';
import {
  Client,
  type Count,
  clients,
  prepareWorkload,
  type Rates,
  rates,
  startServer,
  temporaryFolder,
  toWorkCount,
} from './localnet/network.ts';
import { cpuSeconds, median, type Options, type Result, startChild } from './measure.ts';

/** Until then a process compiles what it executes, for which it takes twice as long. */
const warmUpFull = 2_000;
const full = { calls: 3_000, tenCommands: 500, rounds: 3 };
const startsFull = 7;

/**
 * Transactions per second of a local network in its own process, with its state in a file, for clients in this process
 * over native gRPC. Also measures the time from the start of the process to its first response. The limit is the ledger
 * alone, which executes the same transactions in a process of its own. The measurements alternate. Transactions are
 * built and signed in advance.
 */
export async function run({ scale, delay }: Options): Promise<Result> {
  const count = {
    calls: Math.max(100, Math.round(full.calls * scale)),
    tenCommands: Math.max(50, Math.round(full.tenCommands * scale)),
    rounds: full.rounds,
    warmUp: Math.round(warmUpFull * scale),
  };
  const starts: number[] = [];
  for (let start = 0; start < Math.max(1, Math.round(startsFull * scale)); start += 1) {
    starts.push(await startUpMs());
  }
  const [direct, served]: [Rates[], Rates[]] = [[], []];
  for (let round = 0; round < count.rounds; round += 1) {
    const turns = [
      () => throughLedger(count).then((one) => direct.push(one)),
      () => throughGrpc(count, delay).then((one) => served.push(one)),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  const middle = (rounds: readonly Rates[], of: keyof Rates) =>
    Math.round(median(rounds.map((one) => one[of])));
  return {
    name: 'localnet',
    unit: 'registry calls/s',
    value: middle(served, 'calls'),
    limit: middle(direct, 'calls'),
    limitName: 'the same transactions straight into the ledger',
    ratio: median(served.map(({ calls }, round) => calls / direct[round]!.calls)),
    aim: 0.8,
    details: {
      ...count,
      clients,
      cpuMicrosPerCall: middle(served, 'cpuMicrosPerCall'),
      cpuMicrosPerCallLimit: middle(direct, 'cpuMicrosPerCall'),
      tenCommandsPerSecond: middle(served, 'tenCommands'),
      tenCommandsLimit: middle(direct, 'tenCommands'),
      startUpMs: Math.round(median(starts)),
      startUpAimMs: 1_000,
    },
  };
}

async function throughGrpc(count: Count, distanceMs: number): Promise<Rates> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack);
  // The flags that the process of the ledger alone inherits.
  const { url, process: network } = await startServer(['--data-dir', folder], stack, process.execArgv);
  const client = new Client(await moveAway(url, distanceMs, stack));
  stack.defer(() => client.close());
  const workload = await prepareWorkload(toWorkCount(count), await client.firstGas(), (each) =>
    client.create(each),
  );
  const cpuMicros = async () => (await cpuSeconds(network)) * 1e6;
  return await rates(workload, count.warmUp, cpuMicros, (each) => client.execute(each));
}

/** In a process of its own too, that is as young as the network's. */
async function throughLedger({ calls, tenCommands, warmUp }: Count): Promise<Rates> {
  await using stack = new AsyncDisposableStack();
  const { said } = await startChild('localnet/ledger-alone.ts', [calls, tenCommands, warmUp], stack);
  return said as Rates;
}

/** Time from the start of the process to the first response. */
async function startUpMs(): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const started = performance.now();
  const { url } = await startServer([], stack);
  const client = new Client(url);
  stack.defer(() => client.close());
  await client.serviceInfo();
  return performance.now() - started;
}
