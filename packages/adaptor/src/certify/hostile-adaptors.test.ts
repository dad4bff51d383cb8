import { beforeAll, describe, expect, test } from 'vitest';
import { publishedFramework } from '../introspect/testing/packages.ts';
import type { PackageContent } from '../packages/source.ts';
import { certify } from './index.ts';
import { type CompiledAdaptors, compileAdaptors } from './testing/hostile/compile.ts';
import { type CertifyOp, judge } from './testing/hostile/judge.ts';
import { hostileAdaptors } from './testing/hostile/list.ts';

let adaptors: CompiledAdaptors;
let dependencies: PackageContent[];

beforeAll(async () => {
  const framework = await publishedFramework();
  adaptors = await compileAdaptors(hostileAdaptors);
  const { wallet, accomplice } = adaptors;
  dependencies = [await framework.read('0x1'), await framework.read('0x2'), wallet, accomplice];
});

const certifyOp: CertifyOp = (root, module, op) =>
  certify(
    { root, dependencies },
    { module, function: op },
    { upgrade: { policy: 'compatible', olderVersions: 1 } },
  );

describe('A certificate shows the plant down to the instruction, and no plant in the twin', () => {
  test.each(hostileAdaptors.map((adaptor) => [adaptor.name, adaptor] as const))('%s', (_, adaptor) => {
    expect(judge(adaptor, adaptors, certifyOp)).toEqual([]);
  });

  test('in 200 different programs', () => {
    const sources = hostileAdaptors.map((adaptor) => JSON.stringify(adaptor.write('same', 'hostile')));
    expect(new Set(sources).size).toBeGreaterThanOrEqual(200);
  });
});
