import { policy, scopedCap, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Inputs } from '@mysten/sui/transactions';
import { beforeAll, describe, expect, test } from 'vitest';
import { deriveWalletKeypair } from '../../lib/agent/wallet-key.ts';
import { type AgentSigner, createLocalSigner } from '../../services/agent/key/signer.ts';
import { readSteps, shop, startTestAgent } from '../support/agent-world.ts';
import { eventually } from '../support/eventually.ts';
import { address, readModelBuilder } from '../support/read-model.ts';
import { buildDraft } from '../support/tool-double.ts';
import { coinType } from '../support/wallet-packages.ts';
import {
  agent,
  giveCap,
  nameWallet,
  readLast,
  readRefusal,
  readRun,
  spend,
  useAgent,
  wallet,
  world,
} from './set-up.ts';

useAgent();

const target = () => ({ packageId: world.network.packages.wallet, wallet: wallet.walletId });

/** Nothing left the wallet, and nothing of the daily limit is reserved or spent. */
async function expectUntouched(): Promise<void> {
  const { rows } = await world.db.pool.query(
    `select reserved::int, spent::int from agent_limits
      where subject = 'wallet:' || $1 and measure like '%::%'`,
    [wallet.walletId],
  );
  expect(rows).toEqual([{ reserved: 0, spent: 0 }]);
  expect(await world.balance(wallet.walletId)).toBe(1000n);
}

/** The managed key, which signs after `happens`: between the simulation and the execution. */
function createSignerAfter(happens: () => Promise<unknown>): AgentSigner {
  const { signer } = world.options;
  return {
    ...signer,
    async sign(bytes) {
      await happens();
      return await signer.sign(bytes);
    },
  };
}

describe('what the chain refuses', () => {
  const pause = () => execute(world.network.owner, (tx) => wallets.setPaused(tx, target(), true));

  test('is reported by package, function and the code’s name, and nothing is signed', async () => {
    await pause();
    const lines = await readSteps(await agent.post(spend()));
    const { wallet: packageId } = world.network.packages;
    expect(lines.at(-1)).toEqual({
      step: 'simulate',
      status: 'error',
      code: 'move_abort',
      detail: expect.stringMatching(
        new RegExp(
          `^The owner paused the wallet\\. ${packageId}::wallet::\\w+ aborted with EPaused \\(code 14\\)\\.$`,
        ),
      ),
    });
    expect(await readRun()).toMatchObject({ state: 'failed', code: 'move_abort', transaction: null });
  });

  test.each([
    ['a cap that its owner revoked', scopedCap.revoke],
    ['all caps revoked at once', policy.revokeAll],
  ])('%s: nothing is signed', async (_what, revoke) => {
    await execute(world.network.owner, (tx) => revoke(tx, target(), wallet.capId));
    const last = await readLast(agent.post(spend()));
    expect(last).toMatchObject({
      step: 'simulate',
      status: 'error',
      detail: expect.stringContaining('ECapRevoked'),
    });
    expect(await readRun()).toMatchObject({ code: 'move_abort', transaction: null });
    await expectUntouched();
  });

  test('after the signature is final: the run failed, and what it set aside is given back', async () => {
    const slow = await startTestAgent(world, { signer: createSignerAfter(pause) });
    const lines = await readSteps(await slow.post(spend()));
    expect(lines.at(-1)).toMatchObject({
      step: 'execute',
      status: 'error',
      digest: (await readRun()).digest,
    });
    expect(lines.at(-1)?.detail).toContain('EPaused');
    await expectUntouched();
    await slow.close();
  });

  test('a node that loses answers gets the same bytes again, and they run once', async () => {
    world.network.localnet.misbehaviour.set({
      loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 1, seed: 1 },
    });
    const lines = await readSteps(await agent.post(spend()));
    expect(lines.at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
    expect(await world.balance(wallet.walletId)).toBe(990n);
  });

  test('a node that is out while the signed bytes are sent settles them when it is back', async () => {
    const methods: ['ExecuteTransaction', 'GetTransaction'] = ['ExecuteTransaction', 'GetTransaction'];
    world.network.localnet.misbehaviour.set({
      failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods },
    });
    const streaming = agent.post(spend());
    await eventually(async () => {
      const { rows } = await world.db.pool.query(
        `select detail from agent_run_steps where run = $1 and step = 'execute' and detail is not null`,
        [(await readRun())?.id],
      );
      expect(rows).toHaveLength(1);
    });
    // The wallet stays locked meanwhile, because the transaction may have executed.
    expect(await readRefusal(await agent.post(spend()))).toEqual([409, 'already_running']);
    world.network.localnet.misbehaviour.set({ failCalls: null });
    expect((await readSteps(await streaming)).at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
    expect(await world.balance(wallet.walletId)).toBe(990n);
  });
});

test('a node that the tool service waits for in vain is distinguished from an unreachable tool service', async () => {
  const detail = "The network's node took too long; try again shortly.";
  world.tools.draft = async () => ({ status: 504, body: { code: 'node_timeout', detail } });
  const code = 'node_unavailable';
  expect(await readLast(agent.post(spend()))).toEqual({ step: 'draft', status: 'error', code, detail });
  expect(await readRun()).toMatchObject({ code: 'node_unavailable' });
  await expectUntouched();
});

describe('objects of the agent’s that another transaction uses first', () => {
  /** Transfers the cap away. The owner pays, so that the agent's gas coin is untouched. */
  const giveCapAway = () => giveCap(wallet, shop);
  const useGas = () =>
    execute(world.agent, (tx) => {
      tx.transferObjects([tx.splitCoins(tx.gas, [1n])], shop);
    });

  test.each([
    ['the coin that pays the gas', useGas],
    ['the cap', giveCapAway],
  ])('%s: the run is given up, and nothing is paid', async (_what, use) => {
    const late = await startTestAgent(world, { signer: createSignerAfter(use) });
    expect(await readLast(late.post(spend()))).toMatchObject({
      step: 'execute',
      status: 'error',
      detail: expect.stringContaining('another requestId'),
    });
    expect(await readRun()).toMatchObject({ state: 'failed', code: 'overtaken' });
    await expectUntouched();
    await late.close();
    // The key is free for the next run.
    expect(await readLast(agent.post(spend({}, await world.wallet())))).toMatchObject({ status: 'done' });
  });
});

test('a managed key without gas says so before anything is signed', async () => {
  const keypair = new Ed25519Keypair();
  await giveCap(wallet, deriveWalletKeypair(keypair, 'testnet', wallet.walletId).toSuiAddress());
  const signer = await createLocalSigner({ secretKey: keypair.getSecretKey() });
  const poor = await startTestAgent(world, { signer });
  const last = await readLast(poor.post(spend()));
  expect(last).toMatchObject({ step: 'simulate', status: 'error' });
  expect(last.detail).toContain('no coin to pay the gas with');
  expect(await readRun()).toMatchObject({ code: 'agent_out_of_gas', transaction: null });
  await expectUntouched();
  await poor.close();
});

describe('an adaptor that changed since its transaction was drafted', () => {
  let builder: ReturnType<typeof readModelBuilder>;
  beforeAll(() => {
    builder = readModelBuilder(world.db);
  });
  const unlisted = 'adaptor_not_listed';
  const other = 'unexpected_transaction';

  test.each([
    ['is unlisted', 'listed = false', unlisted],
    ['has a manifest that is wrong', `manifest_error = 'names another package'`, unlisted],
    [
      'is moving to another package',
      `package_id = '${address(0xbad)}', manifest_hash = repeat('0', 64), version = 2`,
      unlisted,
    ],
    ['is of a publisher who is not verified', `publisher_check = 'not_publisher'`, unlisted],
    ['is of another package', `package_id = '${address(0xbad)}'`, other],
  ])('%s: it is not called', async (_what, change, code) => {
    const call = { typeArgs: ['coinIn'], args: [{ role: 'wallet' }, { role: 'amount' }] };
    const ops = [{ kind: 'lend', module: 'lend', entry: 'deposit', call }];
    const { serviceType } = await builder.listing({ manifest: { ops } });
    world.tools.draft = async (asked) => {
      const draft = await buildDraft(asked, world.network.client, (tx) => {
        const { walletId: objectId } = wallet;
        const shared = Inputs.SharedObjectRef({ objectId, initialSharedVersion: 1, mutable: true });
        tx.moveCall({
          target: `${serviceType.split('::')[0]}::lend::deposit`,
          typeArguments: [coinType],
          arguments: [tx.object(shared), tx.pure.u64(10)],
        });
      });
      await world.db.pool.query(`update listings set ${change} where service_type = $1`, [serviceType]);
      await builder.refresh();
      return draft;
    };
    const deposit = { action: 'lendingADeposit', coinType, amount: '10', adaptor: serviceType };
    const last = await readLast(agent.post({ ...nameWallet(), ...deposit }));
    expect(last).toMatchObject({ step: 'check', status: 'error' });
    expect(await readRun()).toMatchObject({ code, transaction: null });
    await expectUntouched();
  });
});

describe('a drafted transaction that was not asked for is not signed', () => {
  /** A draft whose spend differs from the requested one. */
  const otherwise =
    (change: { wallet?: string; amount?: bigint; recipient?: string; twice?: boolean; transfer?: boolean }) =>
    (): void => {
      world.tools.draft = (asked) =>
        buildDraft(asked, world.network.client, (tx) => {
          const { amount = 10n, recipient = shop } = change;
          const packageId = world.network.packages.wallet;
          const walletTarget = { packageId, wallet: change.wallet ?? wallet.walletId };
          for (let times = change.twice ? 2 : 1; times > 0; times -= 1) {
            const request = policy.beginSpend(tx, walletTarget, { coinType, amount, recipient });
            scopedCap.spend(tx, packageId, { capId: wallet.capId, request });
            policy.confirmSpend(tx, walletTarget, { coinType, request });
          }
          if (change.transfer) tx.transferObjects([tx.splitCoins(tx.gas, [1n])], shop);
        });
    };

  test.each([
    ['a larger amount', otherwise({ amount: 11n })],
    ['another recipient', otherwise({ recipient: `0x${'6'.repeat(64)}` })],
    ['the same twice', otherwise({ twice: true })],
    ['coins of the agent’s', otherwise({ transfer: true })],
  ])('%s', async (_what, draft) => {
    draft();
    const lines = await readSteps(await agent.post(spend()));
    expect(lines.at(-1)).toMatchObject({ step: 'check', status: 'error' });
    expect(await readRun()).toMatchObject({ code: 'unexpected_transaction', transaction: null });
    expect(await world.balance(wallet.walletId)).toBe(1000n);
  });

  test('another wallet', async () => {
    const victim = await world.wallet();
    otherwise({ wallet: victim.walletId })();
    const lines = await readSteps(await agent.post(spend()));
    expect(lines.at(-1)).toMatchObject({ step: 'check', status: 'error' });
    expect(await world.balance(victim.walletId)).toBe(1000n);
  });

  test('something that is not a transaction at all, or not an answer of the tool service', async () => {
    const nonsense = async (change: Record<string, unknown>) => {
      world.tools.draft = async (asked) => ({ ...(await world.honest(asked)), ...change }) as never;
      return (await readSteps(await agent.post(spend()))).at(-1)?.step;
    };
    expect(await nonsense({ transactionKind: 'AAAA' })).toBe('check');
    expect(await nonsense({ steps: [] })).toBe('check');
    expect(await nonsense({ transactionKind: '' })).toBe('check');
    expect(await nonsense({ steps: 'none' })).toBe('draft');
  });
});
