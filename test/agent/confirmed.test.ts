import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { delegate as delegates, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEntries } from '../../db/queries/catalog/find.ts';
import { deriveWalletKeypair } from '../../lib/agent/wallet-key.ts';
import { dollars, SUI } from '../../services/demo/publish.ts';
import {
  addDelegate,
  type DemoWallet,
  depositDollars,
  openWallet,
  type SetUp,
} from '../../services/demo/wallets.ts';
import { executorKey, postAction, readSteps, type TestAgent } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { startDemoAgent, startDemoTools } from '../support/demo-tools.ts';
import { eventually } from '../support/eventually.ts';
import { asAdmin } from '../support/keys.ts';
import { startLocklessMarket } from '../support/lockless-market.ts';
import { type NodeProxy, startNodeProxy } from '../support/node-proxy.ts';
import { useForFile } from '../support/use-for-file.ts';

/*
 * Some wallet packages have no locks, and some agent addresses act for more than one wallet. The chain then does not
 * hold an action to its bounds, so the agent runs only adaptors that the operator has read and confirmed.
 */

type Agent = Pick<TestAgent, 'ask' | 'close'>;

async function run(agent: Agent, wallet: DemoWallet, fields: Record<string, unknown>) {
  const key = await executorKey(agent, wallet.walletId);
  return (await readSteps(await postAction(agent, 'run', wallet, fields, key))).at(-1)!;
}

async function fetchLastCode({ ask }: Agent, { walletId }: DemoWallet): Promise<string | null> {
  const query = new URLSearchParams({ walletId, network: 'testnet', limit: '1' });
  const answer = await ask(`/api/agent/runs?${query}`, { headers: await executorKey({ ask }, walletId) });
  return (await answer.json()).runs[0].code;
}

/** Sends a request to the endpoint of confirmed adaptors, as the operator or with `headers`. */
async function adaptors(
  { ask }: Agent,
  method: string,
  fields?: object,
  headers: Record<string, string> = asAdmin,
) {
  const query = method === 'DELETE' ? `?${new URLSearchParams(fields as Record<string, string>)}` : '';
  const body = method === 'POST' ? fields : undefined;
  const answer = await ask(`/api/agent/adaptors${query}`, buildRequest(body, headers, method));
  return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
}

async function fetchAddress({ ask }: Agent, { walletId }: { walletId: string }) {
  return await (await ask(`/api/agent/address?${new URLSearchParams({ walletId })}`)).json();
}

const done = { step: 'confirm', status: 'done' };
const notConfirmed = {
  step: 'check',
  status: 'error',
  code: 'adaptor_not_confirmed',
  detail: expect.stringMatching(
    /^The operator has not confirmed .* Nothing was signed\. Ask the operator, or grant/,
  ),
};

describe('a wallet package without a lock', () => {
  let agent: Agent;
  let proxy: NodeProxy;
  let metrics: Registry;
  let wallet: DemoWallet;
  let [firstHash, otherHash] = ['', ''];

  const market = useForFile(startLocklessMarket);
  beforeAll(async () => {
    metrics = new Registry();
    proxy = await startNodeProxy(market.settings.rpcUrl);
    const settings = { ...market.settings, rpcUrl: proxy.url };
    agent = await startDemoAgent({ ...market, settings }, market.url, { metrics });
    [firstHash, otherHash] = [await market.traders[0].list('Swaps.'), await market.traders[1].list('Swaps.')];
    const { keeper, walletPackage, coins, host } = market;
    const { dollar } = coins.types;
    const services = market.traders.map(({ serviceType }) => serviceType);
    const granting: SetUp = (tx, target) => {
      for (const service of services) {
        wallets.grantServiceCoin(tx, target, { service, coinType: dollar, allowance: unlimitedAllowance });
      }
    };
    wallet = await openWallet(keeper, walletPackage, { acting: [], setUp: [granting] });
    await depositDollars(keeper, coins, [wallet]);
    await execute(keeper, (tx) => {
      delegates.initialize(tx, wallet.target);
      addDelegate(tx, wallet.target, {
        address: deriveWalletKeypair(host.keypair, 'testnet', wallet.walletId).toSuiAddress(),
        services: services.map((serviceType) => ({ serviceType, amount: unlimitedAllowance })),
        coins: [{ coinType: dollar, amount: unlimitedAllowance }],
      });
    });
    await eventually(async () => {
      const { actsAs } = await fetchAddress(agent, wallet);
      const { rows } = await market.db.pool.query('select 1 from delegate_allowances where wallet_id = $1', [
        wallet.walletId,
      ]);
      if (actsAs !== 'wallet' || rows.length < 3) throw new Error('the index does not know the grants yet');
    });
  });
  afterAll(async () => {
    await agent?.close();
    await proxy?.close();
  });

  const swap = (place?: 0 | 1) => ({
    action: 'swap',
    coinIn: market.coins.types.dollar,
    coinOut: SUI,
    amountIn: '1000',
    minOut: '1000',
    ...(place !== undefined && { adaptor: market.traders[place].serviceType }),
  });
  /** The same swap as a `call`, by the name of its op. */
  const call = (place: 0 | 1) => ({
    action: 'call',
    adaptor: market.traders[place].serviceType,
    op: 'trade::swap',
    coinOut: SUI,
    spends: [{ coinType: market.coins.types.dollar, amount: '1000' }],
    receivesAtLeast: [{ coinType: SUI, amount: '1000' }],
  });
  const broken = async () =>
    (await metrics.getSingleMetric('agent_bounds_broken_total')!.get()).values[0]?.value;
  const named = (place: 0 | 1) => ({ serviceType: market.traders[place].serviceType });

  test('no adaptor runs that the operator has not confirmed', async () => {
    expect(await run(agent, wallet, swap())).toMatchObject(notConfirmed);
    expect(await fetchLastCode(agent, wallet)).toBe('adaptor_not_confirmed');
  });

  test('the operator confirms what they have read: another hash, or an adaptor that is not listed, is refused', async () => {
    const other = { ...named(0), manifestHash: '0'.repeat(64) };
    expect(await adaptors(agent, 'POST', other)).toMatchObject({
      status: 409,
      body: { code: 'adaptor_changed', detail: expect.stringContaining(firstHash) },
    });
    const unknown = { ...other, serviceType: `0x${'7'.repeat(64)}::a::A` };
    expect(await adaptors(agent, 'POST', unknown)).toMatchObject({
      status: 404,
      body: { code: 'adaptor_not_listed' },
    });
    const own = { ...named(0), manifestHash: firstHash };
    for (const headers of [{}, await executorKey(agent, wallet.walletId)]) {
      expect((await adaptors(agent, 'POST', own, headers)).status).toBe(401);
    }
    expect(await adaptors(agent, 'GET')).toEqual({ status: 200, body: { count: 0, adaptors: [] } });
    expect(await adaptors(agent, 'DELETE', named(0))).toMatchObject({
      status: 404,
      body: { code: 'adaptor_not_confirmed' },
    });
  });

  test('a confirmed adaptor runs, and a request chooses no other than a confirmed one', async () => {
    const confirmed = await adaptors(agent, 'POST', { ...named(0), manifestHash: firstHash });
    const { publisher, serviceType } = market.traders[0];
    const view = {
      network: 'testnet',
      serviceType,
      publisher: publisher.address,
      version: 1,
      manifestHash: firstHash,
      packageId: serviceType.split('::')[0],
      confirmedMs: expect.any(Number),
    };
    expect(confirmed).toEqual({ status: 200, body: view });
    expect(await adaptors(agent, 'GET')).toEqual({ status: 200, body: { count: 1, adaptors: [view] } });
    expect(await run(agent, wallet, swap())).toMatchObject(done);
    expect(await run(agent, wallet, swap(0))).toMatchObject(done);
    expect(await run(agent, wallet, swap(1))).toMatchObject(notConfirmed);
    await adaptors(agent, 'POST', { ...named(1), manifestHash: otherHash });
    expect(await run(agent, wallet, swap(1))).toMatchObject(done);
  });

  test('an update of the listing takes it off the list until the new manifest is confirmed', async () => {
    for (const request of [swap(), call(0)]) expect(await run(agent, wallet, request)).toMatchObject(done);
    const manifestHash = await market.traders[0].list('Swaps, better.');
    for (const request of [swap(), call(0)]) {
      expect(await run(agent, wallet, request)).toMatchObject(notConfirmed);
    }
    await adaptors(agent, 'POST', { ...named(0), manifestHash });
    for (const request of [swap(), call(0)]) expect(await run(agent, wallet, request)).toMatchObject(done);
    expect((await adaptors(agent, 'DELETE', named(0))).status).toBe(204);
    for (const request of [swap(), call(0)]) {
      expect(await run(agent, wallet, request)).toMatchObject(notConfirmed);
    }
  });

  test('a return that stays away is seen before anything is signed, where the simulation has it', async () => {
    await market.traders[1].turn(1);
    expect(await run(agent, wallet, swap(1))).toMatchObject({ step: 'simulate', status: 'error' });
    expect(await fetchLastCode(agent, wallet)).toBe('unexpected_transaction');
    expect(await broken()).toBe(0);
  });

  test('what a confirmed adaptor does differently at execution is found in its events: the wallet is frozen', async () => {
    const [, trader] = market.traders;
    await trader.turn(0);
    proxy.meddle('ExecuteTransaction', { before: () => trader.turn(1) });
    const last = await run(agent, wallet, swap(1));
    expect(last).toMatchObject(done);
    const { freezes } = await (await agent.ask('/api/agent/freezes', { headers: asAdmin })).json();
    const beyond = `The action ${last.digest} exceeded its bounds: it brings less than 1000 of `;
    expect(freezes).toMatchObject([
      { network: 'testnet', walletId: wallet.walletId, reason: expect.stringContaining(beyond) },
    ]);
    expect(await broken()).toBe(1);
    await expect(run(agent, wallet, swap(1))).rejects.toThrow(/403: .*"frozen"/);
  });
});

describe('a wallet that granted to the managed address itself', () => {
  let agent: Agent;
  let wallet: DemoWallet;

  const world = useForFile(startDemoTools);
  beforeAll(async () => {
    agent = await startDemoAgent(world);
    const { serviceType } = world.demo.venues.vault;
    const granting: SetUp = (tx, target) => {
      wallets.grantServiceCoin(tx, target, {
        service: serviceType,
        coinType: SUI,
        allowance: unlimitedAllowance,
      });
      delegates.initialize(tx, target);
      addDelegate(tx, target, delegateAt(world.host.address));
    };
    wallet = await openWallet(world.owner, world.demo.packages.wallet, { acting: [], setUp: [granting] });
    await world.knowsAll();
  });
  afterAll(async () => {
    await agent?.close();
  });

  const delegateAt = (address: string) => ({
    address,
    services: [{ serviceType: world.demo.venues.vault.serviceType, amount: unlimitedAllowance }],
    coins: [{ coinType: SUI, amount: unlimitedAllowance }],
  });
  const deposit = { action: 'vaultDeposit', coinType: SUI, amount: String(dollars(1)) };

  test('runs only what the operator confirmed, though its package has a lock', async () => {
    expect(await fetchAddress(agent, wallet)).toEqual({
      network: 'testnet',
      walletId: wallet.walletId,
      actsAs: 'host',
      address: world.actor(wallet.walletId).address,
      payer: world.host.address,
    });
    expect(await run(agent, wallet, deposit)).toMatchObject(notConfirmed);
    const { serviceType } = world.demo.venues.vault;
    const [entry] = await readEntries(world.db.pool, [{ network: 'testnet', serviceType }]);
    const { manifestHash } = entry!;
    await adaptors(agent, 'POST', { network: 'testnet', serviceType, manifestHash });
    expect(await run(agent, wallet, deposit)).toMatchObject(done);
    await adaptors(agent, 'DELETE', { network: 'testnet', serviceType });
    expect(await run(agent, wallet, deposit)).toMatchObject(notConfirmed);
  });

  test('runs every listed one once its owner has granted to the address of its own', async () => {
    const { address } = await fetchAddress(agent, wallet);
    await execute(world.owner, (tx) => addDelegate(tx, wallet.target, delegateAt(address)));
    await world.knowsAll();
    expect(await fetchAddress(agent, wallet)).toMatchObject({ address, actsAs: 'wallet' });
    expect(await run(agent, wallet, deposit)).toMatchObject(done);
  });

  test('has an address that no other wallet has, which anyone may ask for and no unknown network answers', async () => {
    const other = await fetchAddress(agent, world.demo.owner);
    expect(other).toMatchObject({ address: world.demo.agent.address, actsAs: 'wallet' });
    expect((await fetchAddress(agent, wallet)).address).not.toBe(other.address);
    const answers = await Promise.all(
      ['network=testnet', `network=mainnet&walletId=${wallet.walletId}`, 'network=testnet&walletId=x'].map(
        async (query) => (await agent.ask(`/api/agent/address?${query}`)).status,
      ),
    );
    expect(answers).toEqual([400, 400, 400]);
  });
});
