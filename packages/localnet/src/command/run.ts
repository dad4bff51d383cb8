import { createInterface } from 'node:readline';
import { formatHost } from '@adaptor-marketplace/process';
import { CommanderError } from 'commander';
import { Closers } from '../internal/closers.ts';
import { messageOf } from '../internal/errors.ts';
import { commandLogger } from '../internal/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ExecutedTransaction } from '../ledger/types.ts';
import { misbehaviourOf } from '../misbehaviour/flags.ts';
import { checkFolders, FolderPublisher } from '../publish-folder.ts';
import { ChainView } from '../rpc/convert/chain-view.ts';
import { type Localnet, startLocalnet } from '../start.ts';
import { Activity } from './activity.ts';
import { describeSimulation, describeTransaction } from './describe.ts';
import { localnetCommand, type Options } from './options.ts';
import { linesOf, prepare } from './prepare.ts';
import { startFailure } from './start-failure.ts';
import { watchFolders } from './watch.ts';

const say = (line = '') => process.stdout.write(`${line}\n`);

async function run(options: Options, flags: Record<string, unknown>): Promise<void> {
  const misbehave = misbehaviourOf(flags);
  await checkFolders(options.publish);
  const closing = new Closers();
  try {
    await runUntilStopped(options, misbehave, closing);
  } finally {
    await closing.close();
  }
}

async function runUntilStopped(
  options: Options,
  misbehave: ReturnType<typeof misbehaviourOf>,
  closing: Closers,
): Promise<void> {
  const stopped = stopSignal();
  const localnet = await startLocalnet({
    dataDir: options.dataDir ?? ':memory:',
    host: options.host,
    port: options.port,
    faucetPort: options.faucetPort,
    checkpointIntervalMs: options.checkpointInterval,
    ...(options.keepCheckpoints !== undefined && { keepCheckpoints: options.keepCheckpoints }),
    log: commandLogger(),
    names: options.name,
    adminFromAnywhere: options.adminFromAnywhere ?? false,
  }).catch((error: unknown) => Promise.reject(new Error(startFailure(error, options), { cause: error })));
  closing.defer(() => localnet.close());
  const { ledger } = localnet;
  const memory = { load: () => ledger.note, save: (text: string) => ledger.keepNote(text) };
  const follows = options.watch ?? false;
  const recipient = follows ? undefined : options.fund[0];
  const publisher = new FolderPublisher(localnet, { recipient, memory, follows });
  await publisher.recall();
  const prepared = await prepare(localnet, publisher, options);
  const state = options.dataDir ?? null;
  const { chainId } = ledger;
  const { rpcUrl, faucetUrl } = localnet;
  if (!options.json) {
    say(`Local Sui network, chain ${chainId}`);
    say(`  gRPC and grpc-web  ${rpcUrl}`);
    say(`  faucet             ${faucetUrl}/v2/gas`);
    say(`  explorer           ${faucetUrl}/explorer`);
    say(`  state              ${state ?? 'in memory, lost on exit'}`);
    for (const line of linesOf(prepared)) say(line);
  }
  // Last, so that it does not get in the way of what was asked for above.
  localnet.misbehaviour.set(misbehave);
  const outOfOrder = Object.keys(misbehave);
  // One line, when all of it is there: what reads it need not wait for another.
  if (options.json) {
    say(JSON.stringify({ chainId, rpcUrl, faucetUrl, dataDir: state, misbehaving: outOfOrder, ...prepared }));
    return await stopped;
  }
  if (outOfOrder.length > 0) say(`Misbehaving on demand: ${outOfOrder.join(', ')}.`);
  say('Ready. Press Ctrl-C to stop.');

  let show: (line: string) => void = say;
  if (process.stdout.isTTY) {
    // Only a terminal waits for what draws on it.
    const { showLive } = await import('./live-view.ts');
    const activity = new Activity(ledger);
    closing.defer(() => activity.close());
    const view = showLive(activity, process.stdout);
    closing.defer(view.stop);
    show = view.say;
  }
  closing.defer(printTransactions(ledger, (id) => publisher.folderOf(id), show));
  if (options.watch) closing.defer(watch(localnet, publisher, options.publish, show));
  await stopped;
}

/** Follows the folders, and what a person types. */
function watch(
  { ledger }: Localnet,
  publisher: FolderPublisher,
  folders: readonly string[],
  show: (line: string) => void,
): () => void {
  const watched = watchFolders(publisher, folders, show);
  const stopHearing = ledger.onReset(() => {
    publisher.forgetMissing((id) => ledger.getObject(id) !== undefined);
    void watched.catchUp();
  });
  const input = createInterface(process.stdin);
  input.on('line', (line) => {
    if (line.trim() === 'p') void watched.publishAgain();
  });
  return () => {
    stopHearing();
    input.close();
    watched.stop();
  };
}

/**
 * Prints what each transaction of a user did, and why a simulation failed, from now on, until the returned function is
 * called.
 */
function printTransactions(
  ledger: Ledger,
  folderOf: (packageId: string) => string | undefined,
  show: (line: string) => void,
): () => void {
  let last = Promise.resolve();
  const chain = new ChainView(ledger);
  // At once: a system call for each line takes as long as finding out what it says.
  const print = (transactions: ExecutedTransaction[], describe: typeof describeTransaction) => {
    last = last.then(async () => {
      const lines: string[] = [];
      for (const each of transactions) lines.push(...(await describe(chain.answer(), each, folderOf)));
      if (lines.length > 0) show(lines.join('\n'));
    });
  };
  const stopTransactions = ledger.onCheckpoint((_, transactions) => {
    print(
      transactions.filter(({ signatures }) => signatures.length > 0),
      describeTransaction,
    );
  });
  const stopSimulations = ledger.onSimulation((each) => {
    if (each.failureDescription !== undefined) print([each], describeSimulation);
  });
  return () => {
    stopTransactions();
    stopSimulations();
  };
}

/** Resolves with the first Ctrl-C or SIGTERM; a second one does not wait for a clean end. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(130);
        asked = true;
        resolve();
      });
    }
  });
}

let isCall = false;

/** Asks a network that runs already. */
async function callAdmin(host: string, faucetPort: number, path: string): Promise<void> {
  isCall = true;
  const url = `http://${formatHost(host)}:${faucetPort}/admin/${path}`;
  const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(60_000) }).catch((error) =>
    Promise.reject(new Error(`nothing answers at ${url}. --faucet-port is its port.`, { cause: error })),
  );
  const body = (await response.json()) as { error?: string; chainId?: string };
  if (!response.ok) throw new Error(body.error ?? `it answered ${response.status}.`);
  say(`Done. The chain is ${body.chainId}.`);
}

try {
  await localnetCommand(run, callAdmin).parseAsync();
} catch (error) {
  // `process.exit`, as commander calls it, can wait forever: https://github.com/nodejs/node/issues/54918.
  if (!(error instanceof CommanderError))
    console.error(`The local network could not ${isCall ? 'do that' : 'start'}: ${messageOf(error)}`);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}
