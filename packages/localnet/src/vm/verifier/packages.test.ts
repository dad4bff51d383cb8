import { join, relative } from 'node:path';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { listPackages, packageName, readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { bcs } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import { beforeAll, expect, test } from 'vitest';

import { TestChain } from '../../execution/testing/chain.ts';
import { ALICE, input, pure, result, transfer } from '../../execution/testing/commands.ts';
import type { Command } from '../../execution/types.ts';
import { STD, SUI, SUI_SYSTEM } from '../framework.ts';
import { VERIFIER_UNITS, VerifierMeter } from '../meter.ts';
import { verifyPackage } from './index.ts';

const moveDir = join(import.meta.dirname, '../../../../../move');

let chain: TestChain;

beforeAll(async () => {
  chain = await TestChain.open();
});

test.each([STD, SUI, SUI_SYSTEM])('the framework at %s keeps every rule', (id) => {
  const owner = chain.packages.load(id, (each) => chain.objects.get(each));
  expect(() => verifyPackage(owner)).not.toThrow();
});

/** Packages that use no other of ours come first. */
const packages = await Promise.all(
  (await listPackages(moveDir)).map(async (dir) => {
    const files = await readPackage(dir);
    return { dir, name: packageName(files), uses: files['Move.toml']!.split('local =').length - 1 };
  }),
);
packages.sort((left, right) => left.uses - right.uses);
const published: Record<string, string> = {};

for (const { dir, name } of packages) {
  test(`move/${relative(moveDir, dir)} keeps every rule, and takes a tenth of the work that verification may take`, async () => {
    const { modules, dependencies } = await compilePackage(dir, { published });
    if (modules.length === 0) return;
    const command: Command = {
      $kind: 'Publish',
      Publish: { modules: modules.map((bytes) => toBase64(bytes)), dependencies },
    };
    const outcome = chain.run([command, transfer([result(0)], input(0))], {
      inputs: [pure(bcs.Address, ALICE)],
    });
    expect(outcome.failure).toBeUndefined();
    const { id } = outcome.packages[0]!;
    published[name] = id;
    const owner = chain.packages.load(id, (each) => chain.objects.get(each));
    expect(() => verifyPackage(owner, new VerifierMeter(VERIFIER_UNITS / 10))).not.toThrow();
  });
}
