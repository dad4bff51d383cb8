import { beforeAll, describe, expect, test } from 'vitest';
import { STD, SUI } from '../vm/framework.ts';
import { UPGRADE_CAP } from './framework.ts';
import { BOX, BoxChain, inputs } from './testing/box.ts';
import { ALICE, BOB, call, input, publishCommand, result, transfer } from './testing/commands.ts';

let boxes: BoxChain;

beforeAll(async () => {
  boxes = await BoxChain.open();
});

describe('publishing', () => {
  test('runs init with a one-time witness, shares what init shares and returns the right to upgrade', () => {
    const cap = [...boxes.chain.objects.values()].find((o) => o.kind === 'move' && o.type === UPGRADE_CAP);
    expect(cap).toMatchObject({ owner: { kind: 'address', address: ALICE }, hasPublicTransfer: true });
    expect(boxes.object(boxes.counterId).owner).toEqual({ kind: 'shared', initialSharedVersion: 1n });
  });

  test('stamps events of init with the new package', async () => {
    const outcome = boxes.run(
      [await publishCommand({ box: BOX }), transfer([result(0)], input(0))],
      inputs(ALICE),
    );
    const [published] = outcome.packages;
    expect(outcome.events).toMatchObject([
      { packageId: published!.id, module: 'box', type: `${published!.id}::box::Opened` },
    ]);
    expect(published!.typeOrigins).toContainEqual({
      module: 'box',
      datatype: 'Box',
      packageId: published!.id,
    });
    expect([...published!.linkage.keys()].sort()).toEqual([STD, SUI]);
  });

  test('lets commands of the same transaction call the package, and forgets it when the transaction fails', async () => {
    const command = await publishCommand({ box: BOX });
    const failed = boxes.run([command, call(boxes.fn('fail'))]);
    expect(failed.failure).toMatchObject({ command: 1, reason: { kind: 'MoveAbort' } });
    expect(failed.packages).toEqual([]);
  });

  test('refuses bytes that are not a module, modules given twice and missing dependencies', async () => {
    const command = await publishCommand({ box: BOX });
    if (command.$kind !== 'Publish') throw new Error('not a publish command');
    const { modules, dependencies } = command.Publish;
    const publish = (change: Partial<typeof command.Publish>) =>
      boxes.failureOf([{ $kind: 'Publish', Publish: { modules, dependencies, ...change } }])?.reason.kind;
    expect(publish({ modules: ['AAAA'] })).toBe('VMVerificationOrDeserializationError');
    expect(publish({ modules: [] })).toBe('VMVerificationOrDeserializationError');
    expect(publish({ modules: [...modules, ...modules] })).toBe('VMVerificationOrDeserializationError');
    expect(publish({ dependencies: [STD] })).toBe('PublishUpgradeMissingDependency');
    expect(publish({ dependencies: [...dependencies, BOB] })).toBe('PublishUpgradeMissingDependency');
  });

  test('takes an object whose id was claimed from another one', async () => {
    const id = await boxes.chain.publish({
      registry: `module demo::registry;
        public struct Registry has key { id: UID }
        public struct Entry has key { id: UID, name: u64 }
        fun init(ctx: &mut TxContext) { transfer::share_object(Registry { id: object::new(ctx) }) }
        public fun enter(registry: &mut Registry, name: u64) {
          let entry = Entry { id: sui::derived_object::claim(&mut registry.id, name), name };
          transfer::share_object(entry)
        }`,
    });
    const registry = [...boxes.chain.objects.values()].find(
      (object) => object.kind === 'move' && object.type === `${id}::registry::Registry`,
    );
    const enter = (name: bigint) =>
      boxes.run(
        [call(`${id}::registry::enter`, [input(0), input(1)])],
        inputs(boxes.object(registry!.id), name),
      );
    const first = enter(7n);
    expect(first.failure).toBeUndefined();
    expect(first.writes.map(({ change }) => change)).toContain('created');
    const again = enter(7n).failure?.reason;
    // The mark of a constant with `#[error(code = 0)]`, before its line and place.
    expect(again?.kind === 'MoveAbort' && again.code >> 48n).toBe(0xc000n);
  });
});
