import { type Explanation, explain, type ParsedTransaction } from '@adaptor-marketplace/adaptor/explain';
import { toBase64 } from '@mysten/sui/utils';
import { beforeAll, expect, test } from 'vitest';
import { ALICE, BOB } from '../../src/execution/testing/commands.ts';
import type { ExecutionArgument } from '../../src/execution/types.ts';
import { Random } from '../certificates/random.ts';
import { type Executed, findViolations, inObjects } from './compare.ts';
import { type GeneratedTransaction, generateTransaction } from './generate.ts';
import { changeOfFunds, treasury, World } from './world.ts';

/** The same transactions in every run. */
const FIXED_SEED = 20_260_102;
const TRANSACTIONS = 400;

/** Functions that give out money of pools, notes and the wallet. */
const giving = new Set([
  ...['take', 'take_for_sender', 'swap', 'lend', 'draw', 'drain', 'cash', 'exchange'],
  ...['withdraw_coin', 'take_coin'],
]);

const CODE = `0x${'c0de'.padStart(64, '0')}`;

let world: World;
beforeAll(async () => {
  world = await World.open();
});

test('no transaction that succeeds does what its explanation excludes', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.info(`seed of the generated transactions that no run had before: ${seed}`);
  for (const each of [FIXED_SEED, seed]) {
    const all = runAll(each);
    expect(all.length).toBeGreaterThan(TRANSACTIONS / 2);
    for (const { explanation, executed, transaction } of all) {
      const violations = findViolations(explanation, executed);
      expect(
        violations,
        JSON.stringify({ seed: each, commands: transaction.commands, explanation }, null, 1),
      ).toEqual([]);
      expect(explanation.notRead).toEqual([]);
    }
  }
});

test('each kind of claim is missed by some execution when the explanation leaves it out', () => {
  const all = runAll(FIXED_SEED);
  const without: Record<string, (explanation: Explanation) => Partial<Explanation>> = {
    leaves: () => ({ leaves: [] }),
    arrives: () => ({ arrives: [] }),
    objects: () => ({ objects: [] }),
    routes: ({ leaves }) => ({ leaves: leaves.map((claim) => ({ ...claim, routes: [] })) }),
  };
  for (const [claim, leaveOut] of Object.entries(without)) {
    const found = all.flatMap(({ explanation, executed }) =>
      findViolations({ ...explanation, ...leaveOut(explanation) }, executed),
    );
    expect(
      found.some((violation) => violation.claim === claim),
      claim,
    ).toBe(true);
  }
});

/** Runs random transactions. Returns those that succeed, each with its explanation from before. */
function runAll(seed: number) {
  const random = new Random(seed);
  const all: { transaction: GeneratedTransaction; explanation: Explanation; executed: Executed }[] = [];
  for (let i = 0; i < TRANSACTIONS; i += 1) {
    const transaction = generateTransaction(world, random);
    const explanation = explain(toParsed(transaction), world.facts());
    const executed = execute(transaction);
    if (executed) all.push({ transaction, explanation, executed });
  }
  return all;
}

function execute({ inputs, commands, gas }: GeneratedTransaction): Executed | undefined {
  const wallet = world.list('::wallet::Wallet')[0]!.id;
  const owners = [ALICE, BOB, CODE, treasury, wallet];
  const balances = owners.map((owner) => world.balance(owner));
  const before = [...world.chain.objects.values()].filter(
    (each) => each.kind === 'move' && each.owner.kind === 'address' && each.owner.address === ALICE,
  ) as Executed['before'];
  const outcome = world.chain.run(commands, { inputs, gasCoin: gas });
  if (outcome.failure) return undefined;
  const changes = owners.map((owner, at): [string, bigint] => [
    owner,
    world.balance(owner) - balances[at]! + changeOfFunds(outcome, owner),
  ]);
  // Pools and notes have one entry together: what they lose is among the losses all the same.
  return {
    sender: ALICE,
    wallet,
    isAllFromSender: !commands.some(
      (each) => each.$kind === 'MoveCall' && giving.has(each.MoveCall.function),
    ),
    changes: new Map([...changes, [inObjects, -sum(changes)]]),
    before,
    outcome,
  };
}

const sum = (changes: readonly [string, bigint][]): bigint =>
  changes.reduce((all, [, change]) => all + change, 0n);

function toParsed({ inputs, commands, gas }: GeneratedTransaction): ParsedTransaction {
  return {
    sender: ALICE,
    payer: ALICE,
    budget: '0',
    payment: [gas.id],
    versions: [],
    inputs: inputs.map(toInput),
    commands: commands as ParsedTransaction['commands'],
  };
}

function toInput(argument: ExecutionArgument): ParsedTransaction['inputs'][number] {
  if (argument.kind === 'pure') return { $kind: 'Pure', Pure: { bytes: toBase64(argument.bytes) } };
  if (argument.kind === 'withdrawal') throw new Error('no transaction has a withdrawal');
  const { id } = argument.object;
  return { $kind: 'UnresolvedObject', UnresolvedObject: { objectId: id } };
}
