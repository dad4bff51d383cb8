import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, TestNetwork } from './testing/network.ts';
import { idOfType, publishModule } from './testing/publish.ts';

const CARD = `
module demo::card {
  use std::internal;
  use sui::display_registry::{Self, DisplayRegistry, Display, DisplayCap};
  public struct Card has key { id: UID }
  public fun describe(registry: &mut DisplayRegistry, ctx: &mut TxContext) {
    let (mut display, cap) = display_registry::new(registry, internal::permit<Card>(), ctx);
    display.set(&cap, b"name".to_string(), b"Card".to_string());
    display.set(&cap, b"name".to_string(), b"Card {id}".to_string());
    transfer::public_transfer(cap, ctx.sender());
    display.share()
  }
  public fun forget(display: &mut Display<Card>, cap: &DisplayCap<Card>) {
    display.unset(cap, b"name".to_string())
  }
}`;

let network: TestNetwork;
let alice: Account;
beforeAll(async () => {
  network = await TestNetwork.open();
  alice = await network.account(10_000_000_000n);
});
afterAll(() => network.ledger.close());

test('the registry at 0xd has one display for each type, whose fields the holder of its capability sets', async () => {
  const packageId = idOfType(await publishModule(alice, CARD), 'package');
  const registry = { objectId: `0x${'d'.padStart(64, '0')}`, initialSharedVersion: 1, mutable: true };
  const describing = () => {
    const transaction = new Transaction();
    const object = transaction.sharedObjectRef(registry);
    transaction.moveCall({ target: `${packageId}::card::describe`, arguments: [object] });
    return alice.execute(transaction);
  };
  const described = await describing();
  expect(described.failureDescription).toBeUndefined();
  const display = network.ledger.getObject(idOfType(described, /display_registry::Display</));
  expect(display?.kind === 'move' && display.owner.kind).toBe('shared');
  expect(Buffer.from(display?.kind === 'move' ? display.contents : []).toString('latin1')).toContain(
    'Card {id}',
  );
  expect((await describing()).failureDescription).toContain('display_registry');
});
