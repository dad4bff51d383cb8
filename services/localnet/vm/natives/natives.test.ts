import { expect, it } from 'vitest';
import { compileFramework } from '../../../../lib/move/index.ts';
import { deserializeModule } from '../loader/bytecode.ts';
import { findNative } from './index.ts';

it('every native that the framework declares is there', async () => {
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
