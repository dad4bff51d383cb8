import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { toBase58 } from '@mysten/sui/utils';
import { expect, test } from 'vitest';
import { FACTS } from '../differential/interpret.ts';
import { SUI } from '../framework.ts';
import { deserializeModule } from '../loader/bytecode.ts';
import { Meter } from '../meter.ts';
import { Machine } from '../runtime/machine.ts';
import { Session } from '../runtime/session.ts';
import { TransactionContext } from '../runtime/transaction-context.ts';
import { ByteVector } from '../values.ts';
import { findNative } from './index.ts';

test('every native that the framework declares is there', async () => {
  const { stdlib, sui } = await compileFramework();
  const missing: string[] = [];
  for (const bytes of [...stdlib.values(), ...sui.values()]) {
    const json = deserializeModule(bytes);
    const self = json.module_handles[json.self_module_handle_idx]!;
    const address = `0x${json.address_identifiers[self.address]}`;
    const module = json.identifiers[self.name]!;
    for (const { code, function: handle } of json.function_defs) {
      const name = json.identifiers[json.function_handles[handle]!.name]!;
      if (!code && findNative(address, module, name) === undefined) missing.push(`${module}::${name}`);
    }
  }
  expect(missing).toEqual([]);
});

test('derives the id that a new object of the transaction gets', () => {
  const digest = Uint8Array.from({ length: 32 }, (_, i) => i);
  const context = new TransactionContext({ ...FACTS, transactionDigest: toBase58(digest) });
  const derive = findNative(SUI, 'tx_context', 'derive_id')!;
  const meter = new Meter(1_000);
  const machine = new Machine(meter, new Session(FACTS, () => undefined, meter));
  for (const count of [0n, 1n, 2n]) {
    expect(derive(machine, [new ByteVector(digest), count], [])).toEqual([context.freshId()]);
  }
});
