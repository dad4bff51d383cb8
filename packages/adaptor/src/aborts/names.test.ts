import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type AbortNames,
  agentsAborts,
  escrowAborts,
  registryAborts,
  rulesAborts,
  walletAborts,
} from './names.ts';

const move = join(import.meta.dirname, '../../../../move');

/** Reads from the sources of a package the abort codes of each module, with the names of their constants. */
function inSources(folder: string): Record<string, [code: string, name: string][]> {
  const sources = join(move, folder, 'sources');
  const modules = readdirSync(sources).map((file) => {
    const source = readFileSync(join(sources, file), 'utf8');
    const constants = [...source.matchAll(/^const (E\w+): u64 = (\d+);/gm)];
    const codes = constants.map(([, name, code]): [string, string] => [code!, name!]);
    return [file.replace(/\.move$/, ''), codes] as const;
  });
  return Object.fromEntries(modules.filter(([, codes]) => codes.length > 0));
}

test.each<[string, AbortNames]>([
  ['wallet', walletAborts],
  ['rules', rulesAborts],
  ['registry', registryAborts],
  ['agents', agentsAborts],
  ['escrow', escrowAborts],
])('every abort of each module of %s is named as its source names it', (folder, aborts) => {
  const named = Object.entries(aborts).map(([module, codes]) => [
    module,
    Object.entries(codes).map(([code, [name]]) => [code, name]),
  ]);
  expect(Object.fromEntries(named)).toEqual(inSources(folder));
});
