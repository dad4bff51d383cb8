import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { moveDir, publishedFolders, publishedFramework } from '../introspect/testing/packages.ts';
import { type PackageContent, type PackageSource, PackageUnreadableError } from '../packages/source.ts';
import { analysisVersion, certify } from './certify.ts';
import { readProgram } from './code/program.ts';
import { certificateHash } from './hash.ts';
import { recomputeCertificates } from './recompute.ts';

let packages: PackageSource;
let pkg: PackageContent;

beforeAll(async () => {
  const folders = ['wallet', 'adaptors/tip_jar'].map((name) => join(moveDir, name));
  const published = await publishedFolders(folders);
  const framework = await publishedFramework();
  packages = {
    read: (id) => published.read(id).catch(() => framework.read(id)),
  };
  pkg = await published.read(published.deriveId('tip_jar'));
});

const tip = (more: object = {}) => ({
  packageId: pkg.id,
  module: 'tip_jar',
  function: 'tip',
  analysis: analysisVersion,
  hash: 'f'.repeat(64) as string | null,
  ...more,
});
const recompute = (...published: ReturnType<typeof tip>[]) =>
  Array.fromAsync(recomputeCertificates(packages, published));

test('a published certificate of the same bytecode is the same, and another one differs', async () => {
  const program = await readProgram(packages, pkg.id);
  const certificate = certify(program, { module: 'tip_jar', function: 'tip' });
  const hash = certificateHash(certificate);
  expect(await recompute(tip({ hash }), tip())).toEqual([
    { ...tip({ hash }), computed: hash, result: 'same' },
    { ...tip(), computed: hash, result: 'differs' },
  ]);
});

test('a certificate of a function that does not exist differs, and nothing is said of a package that the node lacks', async () => {
  const absent = tip({ packageId: `0x${'9'.repeat(64)}` });
  const unnamed = tip({ function: 'none' });
  expect(await recompute(absent, unnamed)).toEqual([
    { ...absent, computed: null, result: 'absent' },
    { ...unnamed, computed: null, result: 'differs' },
  ]);
});

test('nothing is said of another version of the analysis, or where nothing is published', async () => {
  const [other, none] = await recompute(
    tip({ analysis: analysisVersion - 1 }),
    tip({ hash: null, analysis: null }),
  );
  expect([other!.result, none!.result]).toEqual(['other analysis', 'not compared']);
});

test('a node that does not answer, or lacks a dependency, is an error and no difference', async () => {
  const alone: PackageSource = {
    async read(id) {
      if (id !== pkg.id) throw new PackageUnreadableError('absent', id, 'There is no such package.');
      return pkg;
    },
  };
  await expect(Array.fromAsync(recomputeCertificates(alone, [tip()]))).rejects.toThrow(
    PackageUnreadableError,
  );
  const silent: PackageSource = {
    read: async (id) => {
      throw new PackageUnreadableError('unavailable', id, 'The node could not answer.');
    },
  };
  await expect(Array.fromAsync(recomputeCertificates(silent, [tip()]))).rejects.toThrow(
    PackageUnreadableError,
  );
});
