import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import confusables from './confusables.json' with { type: 'json' };
import { nameSkeleton } from './skeleton.ts';

describe('names that people take for each other have one skeleton', () => {
  test.each([
    ['another case', 'Lagoon Swap', 'LAGOON sWAP'],
    ['a capital I for a small l', 'Lagoon Swap', 'Iagoon Swap'],
    ['a digit for a letter', 'Lagoon Pool', 'Lag00n P001'],
    ['all capitals', 'Sui Vault', 'SUI VAULT'],
    ['Cyrillic for Latin letters', 'Coco Pay', 'Сосо Рау'],
    ['Greek for Latin letters', 'Pivot', 'Ρivοt'],
    ['r and n for m', 'Harmony', 'Harrnony'],
    ['mathematical letters', 'paypal', '𝔭𝒶𝕪𝕡𝕒ℓ'],
    ['full width', 'Reef', 'Ｒｅｅｆ'],
    ['a ligature', 'Official', 'Oﬃcial'],
    ['an accent', 'Café', 'Cafe'],
    ['an accent of its own', 'Café', 'Cafe\u0301'],
    ['a stroke', 'Lagoon', 'Lagøon'],
    ['a space more', 'Reef Vault', ' Reef  Vault '],
    ['no space', 'Reef Vault', 'ReefVault'],
    ['a space that does not break', 'Reef Vault', 'Reef\u00a0Vault'],
    ['an invisible joiner', 'Reef', 'Re\u200def'],
    ['an invisible tag', 'Reef', 'Reef\u{e0041}'],
    ['a change of direction', 'Reef', '\u202eReef\u202c'],
    ['a control character', 'Reef', 'Re\u0007ef'],
    ['a full stop', 'Reef Vault', 'Reef-Vault.'],
    ['other quotation marks', 'Reef’s “Vault”', `Reef's "Vault"`],
  ])('%s', (_, one, other) => {
    expect(nameSkeleton(other)).toBe(nameSkeleton(one));
  });
});

test.each([
  ['Reef Vault', 'Reef Vault 2'],
  ['Nest', 'Vest'],
  ['Pool A', 'Pool B'],
  ['Swap+', 'Swap'],
  ['!!', '??'],
  ['日本', '日木'],
])('%s and %s are different', (one, other) => {
  expect(nameSkeleton(one)).not.toBe(nameSkeleton(other));
});

test('each character of the table looks like its entry', () => {
  const entries = Object.entries(confusables);
  expect(entries.length).toBeGreaterThan(2_000);
  const differ = entries.flatMap(([look, characters]) =>
    [...characters].filter((character) => nameSkeleton(`x${character}`) !== nameSkeleton(`x${look}`)),
  );
  expect(differ).toEqual([]);
});

test('whatever the name, its skeleton fits an index, and does not depend on case, spaces or what is invisible', () => {
  const hidden = fc.constantFrom('', ' ', '\u200b', '\u00ad', '\u2060', '\ufe0f', '\u3000');
  const words = fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 64 }), hidden));
  fc.assert(
    fc.property(words, (parts) => {
      const skeleton = nameSkeleton(parts.map(([text]) => text).join(''));
      expect(Buffer.byteLength(skeleton)).toBeLessThan(2_000);
      expect(skeleton.isWellFormed()).toBe(true);
      expect(nameSkeleton(parts.flat().join(''))).toBe(skeleton);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (name) => {
      expect(nameSkeleton(name.toUpperCase())).toBe(nameSkeleton(name.toLowerCase()));
    }),
  );
});
