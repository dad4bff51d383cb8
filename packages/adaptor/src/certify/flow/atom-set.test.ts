import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Atom, initial, Origins } from './atom.ts';
import { type AtomSet, atomSet, noAtoms, plainSets, union } from './atom-set.ts';
import { bounds } from './bounds.ts';
import { extend, field } from './path.ts';

const origins = new Origins();
const constant = (value: string) => origins.constant(value);
const anyAtom = fc.oneof(
  fc.nat(300).map((value) => constant(String(value))),
  fc
    .tuple(fc.nat(3), fc.constantFrom('a', 'b', 'c'))
    .map(([parameter, name]) => initial(parameter, extend(origins.root, field(name)))),
);
const anySet = (maxLength: number) => fc.array(anyAtom, { maxLength }).map((atoms) => atomSet(...atoms));

const listKeys = (set: AtomSet): string[] => set.atoms.map(({ key }) => key);

test('a union has the atoms of the first set in their order, then the new ones of the second', () => {
  const list = fc.array(anySet(20), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(list, (sets) => {
      expect(listKeys(sets.reduce(union, noAtoms))).toEqual([...new Set(sets.flatMap(listKeys))]);
    }),
  );
});

test('a union with nothing new is the first set itself', () => {
  fc.assert(
    fc.property(anySet(40), fc.array(fc.nat(), { maxLength: 10 }), (set, picks) => {
      const some = picks.flatMap((pick) => set.atoms[pick % Math.max(1, set.size)] ?? []);
      expect(union(set, atomSet(...some.map(remake)))).toBe(set);
    }),
  );
});

test('a set has the atoms that it was made of, also if they are made again, and no others', () => {
  fc.assert(
    fc.property(fc.array(anyAtom, { maxLength: 60 }), anyAtom, (atoms, other) => {
      const set = atomSet(...atoms);
      for (const atom of atoms) expect(set.has(remake(atom))).toBe(true);
      expect(set.has(other)).toBe(atoms.some(({ key }) => key === other.key));
    }),
  );
});

test('a set over the bound may be anything, and absorbs all others', () => {
  const most = atomSet(...Array.from({ length: bounds.origins }, (_, i) => constant(String(i))));
  expect(most.isUnread).toBe(false);
  const over = union(most, atomSet(constant('one more')));
  expect(over.isUnread).toBe(true);
  expect(union(over, plainSets.sender)).toBe(over);
  expect(union(plainSets.sender, over)).toBe(over);
});

function remake(atom: Atom): Atom {
  if (atom.kind === 'initial') return initial(atom.parameter, atom.path);
  return atom.kind === 'constant' ? constant(atom.value) : atom;
}
