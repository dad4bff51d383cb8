import { expect, test } from 'vitest';
import { moveToml } from '../../src/scratch-packages.ts';
import { listEdits } from './edits.ts';
import { judgeMutants, listMutants, type Mutant, type Outcome } from './mutants.ts';
import { readTokens } from './tokens.ts';

const source = `module nest::nest;
const ESmall: u64 = 1;
const ELarge: u64 = 2;
const ENames: vector<u8> = b"a; // b";
public struct Nest has key, store { id: UID, eggs: u64 }
public fun eggs(nest: &Nest, most: u64): u64 { nest.eggs.min(most) }
public fun room(nest: &Nest, most: u64): u64 { most - nest.eggs }
public fun add(nest: &mut Nest, eggs: u64, most: u64): vector<u8> {
    let free = room(nest, most);
    assert!(eggs > 0, ESmall);
    assert!(eggs <= free, ELarge);
    nest.eggs = nest.eggs + eggs;
    if (eggs(nest, most) == most && eggs != 7) b"full" else ENames
}
`;
const subject = {
  name: 'nest',
  files: { 'Move.toml': moveToml('nest'), 'sources/nest.move': source },
  dependencies: [],
};

test('no source with one other token is accepted, and a copy without an edit is equal', async () => {
  const mutants = listMutants([subject], 7);
  const none: Mutant = { kind: 'none', start: 0, end: 0, text: '', subject, path: 'sources/nest.move' };
  const outcomes = new Map<Mutant, Outcome>();
  await judgeMutants([...mutants.slice(0, 60), none], (mutant, outcome) => outcomes.set(mutant, outcome));
  expect(outcomes.get(none)).toBe('equal');
  const all = [...outcomes.values()];
  expect(all).not.toContain('accepted');
  expect(all.filter((outcome) => outcome === 'found').length).toBeGreaterThan(20);
  // Each seed has an order of its own, and the same one each time.
  expect(listMutants([subject], 7)).toEqual(mutants);
  expect(listMutants([subject], 8)).not.toEqual(mutants);
});

test('each kind of edit is made, and none in a comment or a string', () => {
  const edits = listEdits(source, readTokens(source));
  const written = new Set(
    edits.map(({ kind, start, end, text }) => `${kind}: ${source.slice(start, end)} -> ${text}`),
  );
  const expected = [
    'operator: > -> >=',
    'operator: + -> -',
    'integer: 7 -> 8',
    'reference: & -> &mut ',
    'ability: store -> drop',
    'visibility: public -> ',
    'name: ESmall -> ELarge',
    'name: eggs -> room',
    'variable: free -> nest',
    'arguments: nest, most -> most, nest',
    'statement: assert!(eggs > 0, ESmall); -> ',
  ];
  for (const edit of expected) expect(written).toContain(edit);
  expect(edits.filter(({ kind }) => kind === 'order')).toHaveLength(3);
  const inString = source.indexOf('// b');
  expect(edits.filter(({ start, end }) => start <= inString && inString < end)).toEqual([]);
});
