import { SuiGrpcClient } from '@mysten/sui/grpc';
import { createAccount, execute } from '../src/account.ts';
import { silentLogger } from '../src/internal/log.ts';
import type { MisbehaviourPatch } from '../src/misbehaviour/schema.ts';
import { compileTestPackage } from '../src/rpc/testing/package.ts';
import { startLocalnet } from '../src/start.ts';

const checkpointIntervalMs = 10;

/** A local network on which something happened that the cases can ask about, and a key with coins. */
export async function startLocalSubject() {
  const localnet = await startLocalnet({
    dataDir: ':memory:',
    port: 0,
    checkpointIntervalMs,
    log: silentLogger,
  });
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: localnet.rpcUrl });
  const account = await createAccount(client, localnet.faucetUrl);
  const { modules, dependencies } = await compileTestPackage();
  const { created } = await execute(account, (tx) => {
    const cap = tx.publish({ modules: modules.map((module) => [...module]), dependencies });
    tx.transferObjects([cap], account.address);
  });
  const packageId = created.find(({ type }) => type === 'package')!.id;
  const board = created.find(({ type }) => type.endsWith('::demo::Board'))!.id;
  const target = (name: string) => `${packageId}::demo::${name}`;
  await execute(account, (tx) => {
    tx.moveCall({ target: target('attach'), arguments: [tx.object(board), tx.pure.u64(1), tx.pure.u64(2)] });
  });
  /** Makes what subjects are picked from the newest there is: they are looked for a little way back. */
  async function act(): Promise<void> {
    await execute(account, (tx) => {
      tx.moveCall({ target: target('note'), arguments: [tx.object(board), tx.pure.string('noted')] });
    });
    localnet.ledger.createCheckpoint();
    localnet.ledger.createCheckpoint();
  }
  await act();
  // Genesis is gone, as on any node that has run for a while.
  localnet.ledger.prune(1n);
  return {
    url: localnet.rpcUrl,
    key: account.keypair,
    act,
    misbehave: (patch: MisbehaviourPatch) => localnet.misbehaviour.set(patch),
    close: () => localnet.close(),
  };
}
