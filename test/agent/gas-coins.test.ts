import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import type { MisbehaviourPatch } from '@adaptor-marketplace/localnet/misbehaviour/schema';
import { bcs } from '@mysten/sui/bcs';
import { TransactionDataBuilder } from '@mysten/sui/transactions';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseGasPayment } from '../../services/agent/chain/signed-transaction.ts';
import type { AgentSigner } from '../../services/agent/key/signer.ts';
import { type AgentWallet, startTestAgent, type TestAgent } from '../support/agent-world.ts';
import { eventually } from '../support/eventually.ts';
import { coinType } from '../support/wallet-packages.ts';
import { behave, giveCap, readLast, spend, useAgentWorld, world } from './set-up.ts';

/** The account that receives the coins that a test takes from the agent's key. */
let bank: Account;

useAgentWorld();
beforeAll(async () => {
  bank = await world.network.newAccount();
});
afterEach(async () => {
  behave();
  await expectNoCoinTwice();
});

const gasMax = () => world.options.gasLimits.perRun;
const misbehave = (patch: MisbehaviourPatch) => world.network.localnet.misbehaviour.set(patch);
const wallets = (count: number) => Array.fromAsync({ length: count }, () => world.wallet());
/** Sends one spend for each wallet concurrently, distributed over the agents in turn. */
const spendAll = (agents: readonly TestAgent[], from: readonly AgentWallet[]) =>
  Promise.all(from.map((wallet, nth) => readLast(agents[nth % agents.length]!.post(spend({}, wallet)))));

async function startAgent(...more: Parameters<typeof startTestAgent>[1][]): Promise<TestAgent> {
  const agent = await startTestAgent(world, ...more);
  onTestFinished(() => agent.close());
  return agent;
}

async function expectPaid(ends: readonly unknown[], from: readonly AgentWallet[]): Promise<void> {
  expect(ends).toMatchObject(from.map(() => ({ step: 'confirm', status: 'done' })));
  const balances = await Promise.all(from.map(({ walletId }) => world.balance(walletId)));
  expect(balances).toEqual(from.map(() => 990n));
}

/** The oracle of every test here: no version of a coin pays for two signed transactions. */
async function expectNoCoinTwice(): Promise<void> {
  const { rows } = await world.db.pool.query<{ transaction: Buffer }>(
    'select transaction from agent_runs where transaction is not null',
  );
  const paid = rows.flatMap(({ transaction }) => parseGasPayment(transaction));
  const named = paid.map(({ coinId, version }) => `${coinId} ${version}`);
  expect(named.length).toBe(new Set(named).size);
}

const fetchCoins = async ({ address }: Account) =>
  (await world.network.client.listCoins({ owner: address, coinType })).objects;
const readStoredCoins = async () =>
  (await world.db.pool.query('select * from agent_gas_coins order by coin_id')).rows;

/** Signs the open split at the price of gas of an earlier epoch. Returns the number of splits. */
async function lowerSplitPrice(): Promise<number> {
  const { pool } = world.db;
  const { rows } = await pool.query('select transaction, digest from agent_gas_splits');
  for (const { transaction, digest } of rows) {
    const { V1 } = bcs.TransactionData.parse(transaction);
    V1!.gasData.price = '999';
    const bytes = bcs.TransactionData.serialize({ V1: V1! }).toBytes();
    const { signature } = await world.agent.keypair.signTransaction(bytes);
    const lowered = TransactionDataBuilder.getDigestFromBytes(bytes);
    await pool.query(
      'update agent_gas_splits set transaction = $1, signature = $2, digest = $3 where digest = $4',
      [Buffer.from(bytes), signature, lowered, digest],
    );
    await pool.query('update agent_gas_coins set split = $1 where split = $2', [lowered, digest]);
  }
  return rows.length;
}

/** Replaces the coins of the agent's key with coins of these amounts, without the agent. */
async function giveCoins(...amounts: bigint[]): Promise<void> {
  const total = amounts.reduce((sum, amount) => sum + amount, 0n);
  await execute(bank, (tx) => {
    tx.transferObjects([tx.splitCoins(tx.gas, [total + 50_000_000n])], world.agent.address);
  });
  const coins = await fetchCoins(world.agent);
  await execute(world.agent, (tx) => {
    tx.setGasPayment(coins);
    if (amounts.length > 0) {
      const made = tx.splitCoins(tx.gas, amounts);
      tx.transferObjects(
        amounts.map((_, at) => made[at]!),
        world.agent.address,
      );
    }
    tx.transferObjects([tx.gas], bank.address);
  });
}

/**
 * Creates a signer that signs nothing until `count` runs wait for a signature. Runs that wait for each other would deadlock.
 */
function createJoiningSigner(count: number, { sign, ...signer }: AgentSigner): AgentSigner {
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  return {
    ...signer,
    async sign(transaction) {
      // The split of the key's own coins is signed at once.
      if ((await readStoredCoins()).some(({ split }) => split !== null)) return await sign(transaction);
      waiting += 1;
      if (waiting === count) all.resolve();
      await all.promise;
      return await sign(transaction);
    },
  };
}

describe('runs of different wallets', () => {
  test('do not wait for each other, whichever process drives them', async () => {
    const first = await startAgent();
    const [one, ...ten] = await wallets(11);
    // The first run makes the gas coins.
    await expectPaid([await readLast(first.post(spend({}, one!)))], [one!]);
    const signer = createJoiningSigner(10, world.options.signer);
    const agents = [await startAgent({ signer }), await startAgent({ signer })];
    await expectPaid(await spendAll(agents, ten), ten);
  });

  test('that act by one address neither, since each has caps of its own', async () => {
    const { signer } = world.options;
    const host = createJoiningSigner(4, { address: signer.address, sign: signer.sign });
    const four = await wallets(4);
    for (const wallet of four) await giveCap(wallet, world.agent.address);
    await expectPaid(await spendAll([await startAgent({ signer: host })], four), four);
  });

  test('are all paid while they are more than the coins are', async () => {
    const many = await wallets(24);
    await expectPaid(await spendAll([await startAgent(), await startAgent()], many), many);
  });
});

describe('the coins of the key', () => {
  test('that suffice for one run pay for one after another', async () => {
    await giveCoins(gasMax() + 100_000_000n);
    const four = await wallets(4);
    await expectPaid(await spendAll([await startAgent(), await startAgent()], four), four);
    expect(await fetchCoins(world.agent)).toHaveLength(1);
  });

  test('of which none suffices become one that does', async () => {
    await giveCoins(...Array(4).fill(gasMax() / 2n));
    const two = await wallets(2);
    await expectPaid(await spendAll([await startAgent()], two), two);
    expect(await fetchCoins(world.agent)).toHaveLength(1);
  });

  test('that the operator spends elsewhere are read again, and no run fails by it', async () => {
    await giveCoins(100_000_000_000n);
    const agent = await startAgent();
    const [one, ...more] = await wallets(6);
    await expectPaid([await readLast(agent.post(spend({}, one!)))], [one!]);
    for (const coin of await fetchCoins(world.agent)) {
      await execute(world.agent, (tx) => {
        tx.setGasPayment([coin]);
        tx.transferObjects([tx.splitCoins(tx.gas, [1n])], bank.address);
      });
    }
    await expectPaid(await spendAll([agent], more), more);
  });

  test('that are gone end a run before it is signed, until the key is funded again', async () => {
    const [wallet] = await wallets(1);
    const agent = await startAgent();
    await expectPaid([await readLast(agent.post(spend({}, wallet!)))], [wallet!]);
    await giveCoins();
    expect(await readLast(agent.post(spend({}, wallet!)))).toMatchObject({
      step: 'simulate',
      status: 'error',
      code: 'agent_out_of_gas',
      detail: expect.stringContaining('no coin to pay the gas with'),
    });
    await giveCoins(gasMax() * 2n);
    expect(await readLast(agent.post(spend({}, wallet!)))).toMatchObject({ status: 'done' });
    // Coins that are no longer there are forgotten.
    expect((await readStoredCoins()).map(({ coin_id }) => coin_id)).toEqual(
      (await fetchCoins(world.agent)).map(({ objectId }) => objectId),
    );
  });

  test('are known at the version, the digest and the balance that the chain has, after runs of all outcomes', async () => {
    await giveCoins(100_000_000_000n);
    await world.db.pool.query('delete from agent_gas_coins');
    const agent = await startAgent();
    const five = await wallets(5);
    await expectPaid(await spendAll([agent], five), five);
    await agent.post(spend({ amount: '100000' }, five[0]!)).then((answer) => answer.text());
    const onChain = (await fetchCoins(world.agent)).map(({ objectId, version, digest, balance }) =>
      [objectId, version, digest, balance].join(' '),
    );
    const stored = (await readStoredCoins()).map((row) =>
      [row.coin_id, row.version, row.digest, row.balance].join(' '),
    );
    expect(stored.toSorted()).toEqual(onChain.toSorted());
    expect(await readStoredCoins()).toMatchObject(
      onChain.map(() => ({ run: null, split: null, stale: false })),
    );
  });
});

describe('a process that ends', () => {
  const troubles: [string, MisbehaviourPatch][] = [
    [
      'before its split of coins executes',
      { failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: ['ExecuteTransaction'] } },
    ],
    [
      'before it learns that its split of coins executed',
      {
        loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 1, seed: 1 },
        failCalls: {
          code: 'UNAVAILABLE',
          share: 1,
          seed: 1,
          methods: ['GetTransaction', 'BatchGetTransactions'],
        },
      },
    ],
  ];
  test.each(troubles)('%s leaves it to the next one, which sends the same', async (_when, trouble) => {
    await giveCoins(100_000_000_000n);
    await world.db.pool.query('delete from agent_gas_coins');
    const two = await wallets(2);
    misbehave(trouble);
    const ending = await startTestAgent(world);
    const streaming = ending.post(spend({}, two[0]!)).then((answer) => answer.text());
    const digest = await eventually(async () => {
      const { rows } = await world.db.pool.query('select digest from agent_gas_splits');
      expect(rows).toHaveLength(1);
      return rows[0].digest as string;
    });
    await ending.close();
    await streaming;
    misbehave({ loseAnswers: null, failCalls: null });
    const agents = [await startAgent(), await startAgent()];
    const again = await spendAll(agents, two);
    await expectPaid(again, two);
    expect(world.network.localnet.ledger.getTransaction(digest)).toBeDefined();
    expect((await world.db.pool.query('select from agent_gas_splits')).rowCount).toBe(0);
    expect(await readStoredCoins()).toMatchObject(Array(16).fill({ run: null, split: null, stale: false }));
  });

  test('before an epoch with a higher price of gas leaves a split that the next one replaces', async () => {
    await giveCoins(100_000_000_000n);
    await world.db.pool.query('delete from agent_gas_coins');
    const two = await wallets(2);
    misbehave(troubles[0]![1]);
    const ending = await startTestAgent(world);
    const streaming = ending.post(spend({}, two[0]!)).then((answer) => answer.text());
    await eventually(async () => expect(await lowerSplitPrice()).toBe(1));
    await ending.close();
    await streaming;
    misbehave({ failCalls: null });
    const again = await spendAll([await startAgent()], two);
    await expectPaid(again, two);
    expect((await world.db.pool.query('select from agent_gas_splits')).rowCount).toBe(0);
    expect(await readStoredCoins()).toMatchObject(Array(16).fill({ run: null, split: null, stale: false }));
  });

  test('and has signed before coins were leased keeps its coin all the same', async () => {
    await giveCoins(100_000_000_000n);
    const [one, other, third] = await wallets(3);
    const earlier = await startTestAgent(world);
    await expectPaid([await readLast(earlier.post(spend({}, third!)))], [third!]);
    const methods = ['ExecuteTransaction', 'GetTransaction', 'BatchGetTransactions'] as const;
    misbehave({ failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: [...methods] } });
    const isSigned = ({ walletId }: AgentWallet) =>
      eventually(async () => {
        const text = `select from agent_runs where wallet_id = $1 and state = 'signed'`;
        expect((await world.db.pool.query(text, [walletId])).rowCount).toBe(1);
      });
    const streaming = earlier.post(spend({}, one!)).then((answer) => answer.text());
    await isSigned(one!);
    await earlier.close();
    await streaming;
    await world.db.pool.query('delete from agent_gas_coins');
    const agent = await startAgent();
    const ending = readLast(agent.post(spend({}, other!)));
    await isSigned(other!);
    await expectNoCoinTwice();
    misbehave({ failCalls: null });
    expect(await ending).toMatchObject({ step: 'confirm', status: 'done' });
    await eventually(async () => {
      expect(await world.balance(one!.walletId)).toBe(990n);
      expect((await readStoredCoins()).filter(({ run }) => run !== null)).toEqual([]);
    });
  });
});
