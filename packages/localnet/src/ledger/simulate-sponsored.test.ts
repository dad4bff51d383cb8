import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Command } from '../execution/types.ts';
import { type Account, TestNetwork } from './testing/network.ts';
import type { SimulateOptions, UnresolvedTransaction } from './types.ts';

let network: TestNetwork;
let sender: Account;
let sponsor: Account;

beforeAll(async () => {
  network = await TestNetwork.open();
  sender = await network.account(3_000_000_000n);
  sponsor = await network.account(2_000_000_000n, 1_000_000_000n);
});

afterAll(() => network.ledger.close());

const readsSponsor: Command = {
  $kind: 'MoveCall',
  MoveCall: { package: '0x2', module: 'tx_context', function: 'sponsor', typeArguments: [], arguments: [] },
};
const splitsGas: Command = {
  $kind: 'SplitCoins',
  SplitCoins: { coin: { $kind: 'GasCoin' }, amounts: [{ $kind: 'Input', Input: 0 }] },
};
const mergesBack: Command = {
  $kind: 'MergeCoins',
  MergeCoins: { destination: { $kind: 'GasCoin' }, sources: [{ $kind: 'Result', Result: 0 }] },
};
const usesGas = [splitsGas, mergesBack];

const buildDraft = (
  commands: Command[],
  gas: UnresolvedTransaction['gas'] = {},
  payer = sponsor,
): UnresolvedTransaction => ({
  sender: sender.address,
  inputs: [{ kind: 'pure', bytes: bcs.u64().serialize(5).toBytes() }],
  commands,
  gas: { owner: payer.address, ...gas },
});

const simulate = (draft: UnresolvedTransaction, options?: SimulateOptions) => {
  const simulated = network.ledger.simulate(draft, options);
  return { ...simulated, gasData: simulated.transaction.data.V1.gasData };
};

const listIds = (coins: readonly { objectId: string }[]) => coins.map(({ objectId }) => objectId);
const listCoins = (account: Account) => account.coins().map(({ id }) => id);

async function executeByBoth(transaction: Uint8Array, payer = sponsor) {
  const signatures = await Promise.all([sender, payer].map((signer) => signer.sign(transaction)));
  return network.ledger.execute(transaction, signatures);
}

describe('without gas selection', () => {
  test.each([true, false])('a made coin of the sponsor pays; checks: %s', (checks) => {
    const options = { checks, maxOutputBytes: 1_000 };
    const { transaction, commandOutputs, gasData } = simulate(
      buildDraft([...usesGas, readsSponsor]),
      options,
    );
    expect(transaction.failureDescription).toBeUndefined();
    expect(gasData).toMatchObject({ owner: sponsor.address, payment: [] });
    expect(transaction.balanceChanges).toEqual([]);
    const [shown] = commandOutputs![2]!.returnValues;
    expect(bcs.option(bcs.Address).parse(new Uint8Array(shown!.bytes))).toBe(sponsor.address);
  });

  test('coins that are named by their ids pay with all that they have', () => {
    const payment = listCoins(sponsor).map((objectId) => ({ objectId }));
    const { transaction, gasData } = simulate(buildDraft([readsSponsor], { payment }));
    expect(transaction.failureDescription).toBeUndefined();
    expect(listIds(gasData.payment)).toEqual(listCoins(sponsor));
    expect(gasData.budget).toBe('3000000000');
    expect(transaction.balanceChanges.map(({ address }) => address)).toEqual([sponsor.address]);
  });

  test.each([true, false])("the sender's coin does not pay; gas selection: %s", (selectGas) => {
    const payment = listCoins(sender).map((objectId) => ({ objectId }));
    expect(() => simulate(buildDraft(usesGas, { payment }), { selectGas })).toThrow(
      /not signed by the correct sender/,
    );
  });

  test('a coin that does not exist is not found', () => {
    const payment = [{ objectId: `0x${'e'.repeat(64)}` }];
    expect(() => simulate(buildDraft(usesGas, { payment }))).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND' }),
    );
  });
});

describe('with gas selection', () => {
  test("the sponsor's coins pay, and what was simulated executes as it is", async () => {
    const held = sender.balance();
    const { transaction, gasData } = simulate(buildDraft(usesGas), { selectGas: true });
    expect(gasData.owner).toBe(sponsor.address);
    expect(listIds(gasData.payment)).toEqual(listCoins(sponsor));
    const executed = await executeByBoth(transaction.bcs);
    expect(executed.failureDescription).toBeUndefined();
    expect(executed.effects.gasUsed).toEqual(transaction.effects.gasUsed);
    expect(executed.balanceChanges.map(({ address }) => address)).toEqual([sponsor.address]);
    expect(sender.balance()).toBe(held);
  });

  test("a budget is estimated for the sponsor's coins that the draft names", () => {
    const [objectId] = listCoins(sponsor);
    const { gasData } = simulate(buildDraft(usesGas, { payment: [{ objectId: objectId! }] }), {
      selectGas: true,
    });
    expect(listIds(gasData.payment)).toEqual([objectId]);
    expect(Number(gasData.budget)).toBeLessThan(50_000_000);
  });

  test('a sponsor that cannot pay is named, though the sender could', async () => {
    const poor = await network.account(500n);
    expect(() => simulate(buildDraft(usesGas, {}, poor), { selectGas: true })).toThrow(
      new RegExp(`insufficient SUI balance .* for account ${poor.address} to satisfy required budget`),
    );
  });

  test("the sponsor's funds pay before its coins, unless a command uses the gas coin: reservations are the sender's", async () => {
    const funded = await network.account(2_000_000_000n);
    const sends = new Transaction();
    sends.moveCall({
      target: '0x2::coin::send_funds',
      typeArguments: ['0x2::sui::SUI'],
      arguments: [sends.splitCoins(sends.gas, [1_000_000_000])[0]!, sends.pure.address(funded.address)],
    });
    expect((await funded.execute(sends)).failureDescription).toBeUndefined();
    const { transaction, gasData } = simulate(buildDraft([readsSponsor], {}, funded), { selectGas: true });
    expect(gasData).toMatchObject({ owner: funded.address, payment: [] });
    const executed = await executeByBoth(transaction.bcs, funded);
    expect(executed.failureDescription).toBeUndefined();
    expect(executed.balanceChanges.map(({ address }) => address)).toEqual([funded.address]);
    expect(() => simulate(buildDraft(usesGas, {}, funded), { selectGas: true })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', reason: 'GasObjectNotOwnedObject' }),
    );
  });
});
