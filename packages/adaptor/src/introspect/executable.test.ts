import { join } from 'node:path';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { beforeAll, expect, test } from 'vitest';
import { introspect } from './introspect.ts';
import { createSource, moveDir, publishedFolders, publishedText } from './testing/packages.ts';
import type { IntrospectedOp } from './types.ts';

const shop = `module shop::shop;
use sui::random::Random;
use wallet::wallet::Wallet;

entry fun sell(wallet: &mut Wallet, amount: u64) { wallet.owner(); amount + 1; }
entry fun look(wallet: &Wallet) { wallet.owner(); }
entry fun look_late(amount: u64, wallet: &Wallet): vector<u64> { wallet.owner(); vector[amount] }
public(package) entry fun sell_here(wallet: &mut Wallet) { wallet.owner(); }
public entry fun sell_openly(wallet: &mut Wallet) { wallet.owner(); }
public fun sell_plainly(wallet: &mut Wallet) { wallet.owner(); }
entry fun count(amount: u64) { amount + 1; }
public fun roll(wallet: &mut Wallet, random: &Random) { wallet.owner(); let _ = random; }
entry fun roll_here(wallet: &mut Wallet, random: &Random) { wallet.owner(); let _ = random; }
entry fun draw(random: &Random) { let _ = random; }
fun hidden(wallet: &mut Wallet) { wallet.owner(); }
public fun call(wallet: &mut Wallet) { hidden(wallet) }
`;

let ops: IntrospectedOp[];
beforeAll(async () => {
  const wallet = await publishedFolders([join(moveDir, 'wallet')]);
  const toml = moveToml('shop', ['wallet']).replace('../wallet', 'wallet');
  const content = await publishedText({ 'Move.toml': toml, 'sources/shop.move': shop }, moveDir);
  const source = createSource([content, await wallet.read(wallet.deriveId('wallet'))]);
  ops = (await introspect(source, content.id)).ops;
});

const findReason = (entry: string) => ops.find((op) => op.entry === entry)!.reason;

test.each(['sell', 'look', 'look_late', 'sell_here'])(
  'a private entry function that takes a wallet cannot be part of an action: %s',
  (entry) => {
    expect(findReason(entry)).toEqual({
      code: 'needs_public',
      detail: expect.stringContaining('make it public fun'),
    });
  },
);

test.each(['roll', 'roll_here'])(
  'no action can call a function that takes a wallet and Random: %s',
  (entry) => {
    expect(findReason(entry)).toEqual({
      code: 'takes_random',
      detail: expect.stringContaining('no action can call it'),
    });
  },
);

test.each(['sell_openly', 'sell_plainly', 'count', 'call', 'draw'])('%s can', (entry) => {
  expect(findReason(entry)).toBeUndefined();
});

test('functions that no transaction can call are reported as such', () => {
  expect(findReason('hidden')?.code).toBe('not_callable');
});
