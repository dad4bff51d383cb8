#!/usr/bin/env node
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { Closers } from '../internal/closers.ts';
import { messageOf } from '../internal/errors.ts';
import { commandLogger } from '../internal/log.ts';
import { misbehaviourOf } from '../misbehaviour/flags.ts';
import { type Localnet, startLocalnet } from '../start.ts';
import { Activity } from './activity.ts';
import { localnetCommand, type Options } from './options.ts';
import { checkFolders, FolderPublisher } from './publish-folder.ts';
import { startFailure } from './start-failure.ts';

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
  const prepared = await prepare(localnet, options);
  say(`Local Sui network, chain ${localnet.ledger.chainId}`);
  say(`  gRPC and grpc-web  ${localnet.rpcUrl}`);
  say(`  faucet             ${localnet.faucetUrl}/v2/gas`);
  say(`  state              ${options.dataDir ?? 'in memory, lost on exit'}`);
  for (const line of prepared) say(line);
  // Last, so that it does not get in the way of what was asked for above.
  localnet.misbehaviour.set(misbehave);
  const outOfOrder = Object.keys(misbehave);
  if (outOfOrder.length > 0) say(`Misbehaving on demand: ${outOfOrder.join(', ')}.`);
  say('Ready. Press Ctrl-C to stop.');

  if (process.stdout.isTTY) {
    // Only a terminal waits for what draws on it.
    const { showLive } = await import('./live-view.ts');
    const activity = new Activity(localnet.ledger);
    closing.defer(() => activity.close());
    closing.defer(showLive(activity, process.stdout));
  }
  await stopped;
}

/** Publishes and funds what the flags say, and answers what to say of it. Funds last: publishing may fail. */
async function prepare(localnet: Localnet, { fund, publish }: Options): Promise<string[]> {
  const lines: string[] = [];
  const publisher = new FolderPublisher(localnet, fund[0]);
  for (const folder of publish) {
    const { packageId, upgradeCapId, modules } = await publisher.publish(folder);
    lines.push(
      `published  ${folder}`,
      `  package     ${packageId}`,
      `  upgrade cap ${upgradeCapId}`,
      `  modules     ${modules.join(', ')}`,
    );
  }
  if (publisher.account && fund.length === 0) {
    const { address, keypair } = publisher.account;
    lines.push(
      `The upgrade caps belong to ${address} (--fund ADDRESS gives them to it instead),`,
      `with this key, valid on this network only: ${keypair.getSecretKey()}`,
    );
  }
  for (const recipient of fund) {
    const { coins_sent: coins } = await requestSuiFromFaucetV2({ host: localnet.faucetUrl, recipient });
    lines.push(`funded     ${recipient} with ${coins?.length} coins`);
  }
  return lines;
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

try {
  await localnetCommand(run).parseAsync();
} catch (error) {
  console.error(`The local network could not start: ${messageOf(error)}`);
  process.exitCode = 1;
}
