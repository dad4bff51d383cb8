import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { listPackages } from '@adaptor-marketplace/move-toolchain/sources';
import { beforeAll, expect, test } from 'vitest';
import { introspect } from './introspect.ts';
import { moveDir, type PublishedPackages, publishedFolders } from './testing/packages.ts';
import type { Introspection, ParamRole } from './types.ts';

const adaptors = (await listPackages(join(moveDir, 'adaptors'))).map((dir) => basename(dir));
let packages: PublishedPackages;

beforeAll(async () => {
  const folders = [
    ...(await listPackages(join(moveDir, 'adaptors'))),
    ...(await listPackages(join(moveDir, 'protocols'))),
    join(moveDir, 'wallet'),
  ];
  packages = await publishedFolders(folders);
});

function introspected(name: string): Promise<Introspection> {
  return introspect(packages, packages.deriveId(name), { walletPackageId: packages.deriveId('wallet') });
}

/** Names of amounts and minimums in the sources. */
const amounts = /^(amount(_a|_b)?|shares)$/;
const minimums = /^(min_\w+|borrow_amount|collateral_amount)$/;
const texts = /^(String|bool|u8|u16|u32|u64|u128|u256|address|ID)$/;

function roleInSource(name: string, type: string): ParamRole {
  const held = type.replace(/^&(mut )?/, '');
  if (held === 'Wallet') return 'wallet';
  if (held === 'Clock') return 'clock';
  if (held === 'TxContext') return 'ctx';
  if (!texts.test(held)) return 'object';
  if (held !== 'u64') return 'pure';
  if (amounts.test(name)) return 'amount';
  return minimums.test(name) ? 'minOut' : 'pure';
}

interface SourceFunction {
  entry: string;
  roles: ParamRole[];
}

/** The public functions of a Move source that take a wallet, with the roles that their parameters' names imply. */
function walletFunctions(source: string): SourceFunction[] {
  const found = source
    .replace(/#\[test_only\]\s+public fun/g, '')
    .matchAll(/public fun (\w+)(?:<[^>]*>)?\(([^)]*)\)/g);
  return [...found].flatMap(([, entry = '', list = '']) => {
    const parameters = [...list.matchAll(/(?:mut )?(\w+): ((?:&(?:mut )?)?\w+)/g)];
    const roles = parameters.map(([, name = '', type = '']) => roleInSource(name, type));
    return roles.includes('wallet') ? [{ entry, roles }] : [];
  });
}

test.each(adaptors)('the roles guessed for %s are those of its source', async (name) => {
  const path = join(moveDir, 'adaptors', name, 'sources', `${name}.move`);
  const expected = walletFunctions(await readFile(path, 'utf8'));
  const { ops, witnesses, modules } = await introspected(name);
  expect(expected.length).toBeGreaterThan(0);
  const guessed = ops
    .filter(({ touchesWallet, visibility }) => touchesWallet && visibility === 'public')
    .map(({ entry, params }) => ({ entry, roles: params.map(({ role }) => role) }));
  expect(guessed).toEqual(expected);
  expect(modules).toEqual([name]);
  expect(witnesses).toEqual([
    {
      module: name,
      name: expect.any(String),
      serviceType: expect.stringMatching(`^${packages.deriveId(name)}::`),
      warnings: [],
    },
  ]);
});

test('every op of an adaptor that uses the wallet is executable by itself, but for those of several calls', async () => {
  for (const name of adaptors) {
    const { ops } = await introspected(name);
    const walletOps = ops.filter(({ touchesWallet, visibility }) => touchesWallet && visibility === 'public');
    const others = walletOps.filter(({ executable }) => !executable);
    const expected = name === 'relay_swap' ? ['returns_hot_potato', 'takes_hot_potato'] : [];
    expect(others.map(({ reason }) => reason?.code)).toEqual(expected);
  }
});

test('two functions between which a hot potato goes are named together', async () => {
  const { hotPotatoes, ops } = await introspected('relay_swap');
  expect(hotPotatoes).toEqual([
    {
      type: `${packages.deriveId('relay_swap')}::relay_swap::Order<T0, T1>`,
      begin: 'relay_swap::begin',
      finish: 'relay_swap::finish',
    },
  ]);
  // `begin` has a minimum of the coin that comes in.
  expect(ops.find(({ entry }) => entry === 'begin')?.typeParams.map(({ role }) => role)).toEqual([
    'coinIn',
    'coinOut',
  ]);
  expect((await introspected('pool_swap')).hotPotatoes).toEqual([]);
});

test('the coins that an op takes and brings follow from its data flow, as call specs name them', async () => {
  const coins = async (name: string) => {
    const { ops } = await introspected(name);
    const told = ops.filter(({ visibility }) => visibility === 'public');
    return Object.fromEntries(
      told.map(({ entry, intentMode, typeParams }) => [
        entry,
        [intentMode, ...typeParams.map(({ role }) => role)],
      ]),
    );
  };
  expect(await coins('pool_swap')).toEqual({
    swap_a_to_b: ['D', 'coinIn', 'coinOut'],
    swap_b_to_a: ['D', 'coinOut', 'coinIn'],
  });
  expect(await coins('account_lending')).toEqual({
    open_account: [undefined],
    deposit: ['A', 'coinIn', undefined],
    withdraw: [undefined, 'coinOut', undefined],
  });
  expect(await coins('stablecoin_account')).toMatchObject({
    borrow: ['D', 'coinIn', 'coinOut'],
    repay: ['A', 'coinIn', undefined],
    repay_and_withdraw: ['D', 'coinIn', 'coinOut'],
    withdraw_savings: [undefined, 'coinOut'],
  });
  // Two coins go in: neither is the one that a caller could name.
  expect(await coins('concentrated_liquidity')).toMatchObject({
    add: ['A', undefined, undefined, undefined],
    collect_reward: [undefined, undefined, undefined, 'coinOut'],
  });
});

test('a coin of a fixed type is listed with its full type', async () => {
  const { ops } = await introspected('liquid_staking');
  const sui = `0x${'0'.repeat(63)}2::sui::SUI`;
  expect(ops.map(({ entry, coinsIn, coinsOut }) => ({ entry, coinsIn, coinsOut }))).toEqual([
    { entry: 'stake', coinsIn: [sui], coinsOut: ['T0'] },
    { entry: 'unstake', coinsIn: ['T0'], coinsOut: [sui] },
  ]);
});
