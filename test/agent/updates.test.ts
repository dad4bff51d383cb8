import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEntries } from '../../db/queries/catalog/find.ts';
import { SUI } from '../../services/demo/publish.ts';
import type { DemoWallet } from '../../services/demo/wallets.ts';
import { executorKey, openSession, readSteps, type TestAgent } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { startDemoAgent, startDemoTools, walletForAgent } from '../support/demo-tools.ts';
import { asAdmin } from '../support/keys.ts';
import { useForFile } from '../support/use-for-file.ts';

const network = 'testnet';
let agent: Pick<TestAgent, 'ask' | 'close'>;
let wallet: DemoWallet;
let other: DemoWallet;
let session: Record<string, string>;

const world = useForFile(startDemoTools);
beforeAll(async () => {
  agent = await startDemoAgent(world, world.url);
  wallet = await walletForAgent(world);
  other = await walletForAgent(world);
  await world.knowsAll();
  session = await openSession(agent, wallet.owner);
  const { publisher, version } = await readVault();
  await world.db.pool.query(
    `update claim_changes set state = 'computed', widens = true, next_check_at = null, functions = $4
     where network = $1 and service_type = $2 and publisher = $3`,
    [
      ...[network, vault().serviceType, publisher],
      JSON.stringify([
        { packages: [], reason: null, sentences: [{ widens: true, text: 'It may take all SUI.' }] },
      ]),
    ],
  );
  expect(version).toBeGreaterThan(0);
});
afterAll(() => agent?.close());

const vault = () => world.demo.venues.vault;
async function readVault() {
  const [entry] = await readEntries(world.db.pool, [{ network, serviceType: vault().serviceType }]);
  return entry!;
}

async function deposit({ walletId, owner }: DemoWallet) {
  const fields = { action: 'vaultDeposit', coinType: SUI, amount: '1000' };
  const body = { owner: owner.address, walletId, network, ...fields };
  const request = buildRequest(body, await executorKey(agent, walletId));
  return (await readSteps(await agent.ask('/api/agent/run', request))).at(-1)!;
}

async function updates(as: Record<string, string>, body?: object) {
  const query = `?${new URLSearchParams({ walletId: wallet.walletId, network })}`;
  const answer = await agent.ask(
    `/api/agent/updates${body ? '' : query}`,
    buildRequest(body, as, body ? 'POST' : 'GET'),
  );
  return { status: answer.status, body: await answer.json() };
}

const confirmation = async (more: object = {}) => ({
  ...{ network, walletId: wallet.walletId, serviceType: vault().serviceType },
  version: (await readVault()).version,
  ...more,
});
const done = { step: 'confirm', status: 'done' };
const refused = {
  status: 'error',
  code: 'update_not_confirmed',
  detail: expect.stringMatching(
    /may do more than the one before it: It may take all SUI\. Nothing was signed\./,
  ),
};

test('an update whose code may do more runs for no wallet, and nothing is signed', async () => {
  expect(await deposit(wallet)).toMatchObject(refused);
  const { rows } = await world.db.pool.query(
    'select state, transaction from agent_runs where wallet_id = $1 order by id desc limit 1',
    [wallet.walletId],
  );
  expect(rows).toEqual([{ state: 'failed', transaction: null }]);
});

test('only the owner of the wallet lists and confirms what holds it, at the version that the catalog shows', async () => {
  const { publisher, version } = await readVault();
  const listed = { serviceType: vault().serviceType, publisher, version };
  expect(await updates(session)).toEqual({
    status: 200,
    body: { count: 1, updates: [{ ...listed, heldSince: version, state: 'computed' }] },
  });
  const key = await executorKey(agent, wallet.walletId);
  for (const as of [key, asAdmin]) {
    expect((await updates(as)).status).toBe(401);
    expect((await updates(as, await confirmation())).status).toBe(401);
  }
  const refusals: [object, number, string][] = [
    [{ version: version + 1 }, 409, 'adaptor_changed'],
    [{ serviceType: `0x${'1'.repeat(64)}::a::A` }, 404, 'adaptor_not_listed'],
    [{ version: -1 }, 400, 'invalid_body'],
  ];
  for (const [more, status, code] of refusals)
    expect(await updates(session, await confirmation(more))).toMatchObject({ status, body: { code } });
  expect(await deposit(wallet)).toMatchObject(refused);
});

test('the owner confirms for one wallet, and the operator for all', async () => {
  const { version, manifestHash } = await readVault();
  for (let times = 0; times < 2; times += 1)
    expect(await updates(session, await confirmation())).toMatchObject({ status: 200, body: { version } });
  expect((await updates(session)).body.count).toBe(0);
  expect(await deposit(wallet)).toMatchObject(done);
  expect(await deposit(other)).toMatchObject(refused);
  const body = { network, serviceType: vault().serviceType, manifestHash };
  const confirmed = await agent.ask('/api/agent/adaptors', buildRequest(body, asAdmin));
  expect(await confirmed.json()).toMatchObject({ version });
  expect(await deposit(other)).toMatchObject(done);
});
