import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registryAborts, rulesAborts, walletAborts } from './names.ts';

const move = join(import.meta.dirname, '../../../../move');

test.each([
  ...Object.entries(walletAborts).map(([module, codes]) => ['wallet', module, codes] as const),
  ...Object.entries(rulesAborts).map(([module, codes]) => ['rules', module, codes] as const),
  ...Object.entries(registryAborts).map(([module, codes]) => ['registry', module, codes] as const),
])('every abort of %s::%s is named as its source names it', (folder, module, codes) => {
  const source = readFileSync(join(move, folder, 'sources', `${module}.move`), 'utf8');
  const inSource = [...source.matchAll(/^const (E\w+): u64 = (\d+);/gm)].map(([, name, code]) => [
    code,
    name,
  ]);
  expect(Object.entries(codes).map(([code, [name]]) => [code, name])).toEqual(inSource);
});
