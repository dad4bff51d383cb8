import { wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readEntries } from '../../db/queries/catalog/find.ts';
import { quarantine, release } from '../../db/queries/catalog/quarantines.ts';
import { createLocalSigner } from '../../services/agent/key/signer.ts';
import { SUI } from '../../services/demo/publish.ts';
import type { DemoWallet } from '../../services/demo/wallets.ts';
import { executorKey, readSteps, type TestAgent } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { startDemoAgent, startDemoTools, walletForAgent } from '../support/demo-tools.ts';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';

let agent: Pick<TestAgent, 'ask' | 'close'>;
let wallet: DemoWallet;
let key: Record<string, string>;
/** Runs before the managed key signs, when the draft has passed every check. */
let beforeSigning = async () => {};
const reason = 'It drains its users <script>alert(1)</script>';

const world = useForFile(startDemoTools);
beforeAll(async () => {
  const signer = await createLocalSigner({ secretKey: world.host.keypair.getSecretKey() });
  agent = await startDemoAgent(world, world.url, {
    signer: {
      ...signer,
      async sign(transaction) {
        await beforeSigning();
        return await signer.sign(transaction);
      },
    },
  });
  wallet = await walletForAgent(world);
  await world.knowsAll();
  key = await executorKey(agent, wallet.walletId);
});
afterAll(async () => {
  await agent?.close();
});
afterEach(async () => {
  beforeSigning = async () => {};
  for (const subject of await readSubjects()) await release(world.db.pool, { ...decision, subject });
});

const decision = { network: 'testnet', reason, operator: 'Ada' };
const hide = async (subject: string) => {
  expect(await quarantine(world.db.pool, { ...decision, subject })).toMatchObject({ kind: 'quarantined' });
};
/** The two subjects that hide the vault adaptor: its service type, and its publisher. */
async function readSubjects(): Promise<string[]> {
  const { rows } = await world.db.pool.query<{ publisher: string }>(
    'select publisher from listings where service_type = $1',
    [vault().serviceType],
  );
  return [vault().serviceType, rows[0]!.publisher];
}

const vault = () => world.demo.venues.vault;
const spends = [{ coinType: SUI, amount: '1000' }];
const call = () => ({
  action: 'call',
  adaptor: vault().serviceType,
  op: 'share_vault::deposit',
  spends,
  receivesAtLeast: [{ coinType: vault().coins.share, amount: '1' }],
});
const deposit = { action: 'vaultDeposit', coinType: SUI, amount: '1000' };
const compose = () => ({ action: 'compose', steps: [deposit, call()] });

const post = (path: 'run' | 'simulate', fields: object) =>
  agent.ask(
    `/api/agent/${path}`,
    buildRequest(
      {
        owner: wallet.owner.address,
        walletId: wallet.walletId,
        network: 'testnet',
        ...fields,
      },
      key,
    ),
  );
const runToEnd = async (fields: object) => (await readSteps(await post('run', fields))).at(-1)!;
const readRun = async () =>
  (
    await world.db.pool.query('select * from agent_runs where wallet_id = $1 order by id desc limit 1', [
      wallet.walletId,
    ])
  ).rows[0];

describe('an adaptor in quarantine', () => {
  test.each<[string, 0 | 1]>([
    ['by its service type', 0],
    ['by its publisher', 1],
  ])('%s is refused in every form of an action, with the reason, until it is released', async (_, which) => {
    const subject = (await readSubjects())[which]!;
    await hide(subject);
    for (const fields of [call(), deposit, compose()]) {
      const refused = { code: 'adaptor_quarantined', detail: expect.stringContaining(reason) };
      const draft = await world.post({ walletId: wallet.walletId, ...fields });
      expect([draft.status, await draft.json()]).toEqual([422, expect.objectContaining(refused)]);
      expect(await runToEnd(fields)).toMatchObject({ status: 'error', ...refused });
      expect(await readRun()).toMatchObject({ state: 'failed', code: 'adaptor_quarantined', digest: null });
      const trial = await (await post('simulate', fields)).json();
      expect(trial).toMatchObject({ wouldSucceed: false, code: 'adaptor_quarantined' });
    }
    const { protocols } = await (await world.ask('/protocols?network=testnet')).json();
    expect(protocols.find(({ slot }: { slot: string }) => slot === 'vault')).toMatchObject({
      status: 'not_available',
      adaptor: null,
      reason: 'The operator holds the adaptor in quarantine.',
    });
    await release(world.db.pool, { ...decision, subject });
    expect(await runToEnd(call())).toMatchObject({ step: 'confirm', status: 'done' });
  });

  test.each<[string, 0 | 1]>([
    ['by its service type', 0],
    ['by its publisher', 1],
  ])('%s while a checked transaction waits for its signature is not sent', async (_, which) => {
    const subject = (await readSubjects())[which]!;
    beforeSigning = () => hide(subject);
    expect(await runToEnd(compose())).toMatchObject({
      step: 'sign',
      status: 'error',
      code: 'adaptor_quarantined',
      detail: expect.stringContaining(reason),
    });
    expect(await readRun()).toMatchObject({ state: 'failed', digest: null, signatures: null });
    const { rows } = await world.db.pool.query('select sum(reserved)::int as reserved from agent_limits');
    expect(rows).toEqual([{ reserved: 0 }]);
  });

  test('does not stop what is signed already', async () => {
    const { pool } = world.db;
    // The quarantine becomes visible together with the signature: it is after the check, and before the node has it.
    await pool.query(`create function quarantine_signed() returns trigger language plpgsql as $$ begin
        insert into quarantines (network, subject, action, reason, since)
          values (new.network, '${vault().serviceType}', 0, 'late', now());
        return null;
      end $$;
      create trigger quarantine_signed after update on agent_runs for each row
        when (new.state = 'signed' and old.state = 'running') execute function quarantine_signed()`);
    try {
      expect(await runToEnd(call())).toMatchObject({ step: 'confirm', status: 'done' });
      expect((await pool.query('select from quarantines')).rowCount).toBe(1);
    } finally {
      await pool.query('drop function quarantine_signed cascade; delete from quarantines');
    }
  });

  test('does not stop an owner who revokes its grants', async () => {
    const own = await walletForAgent(world);
    await world.knowsAll();
    await hide(vault().serviceType);
    await execute(own.owner, (tx) => wallets.revokeService(tx, own.target, vault().serviceType));
    await eventually(async () => {
      const { rows } = await world.db.pool.query(
        'select from service_grants where wallet_id = $1 and service_type = $2',
        [own.walletId, vault().serviceType],
      );
      expect(rows).toEqual([]);
    });
  });

  test('has no entry that the agent or the tools could read', async () => {
    await hide(vault().serviceType);
    const key = { network: 'testnet', serviceType: vault().serviceType };
    expect(await readEntries(world.db.pool, [key])).toEqual([undefined]);
  });
});
