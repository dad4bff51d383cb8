import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexDocuments } from './search.ts';

const part = (heading: string, text: string) => ({ level: 2, href: `/docs/x#${heading}`, heading, text });
const search = await indexDocuments([
  {
    title: 'One',
    parts: [part('One', 'Keys of the API.'), part('Limits', 'Nothing. A webhook has an idempotency key.')],
  },
  {
    title: 'API keys',
    parts: [part('API keys', 'How to get one, once. webhook rate_limited'), part('rate_limited', '')],
  },
]);
const headings = (words: string) => search(words).hits.map(({ heading }) => heading);

test('a search finds the parts that have all words, those in headings first', () => {
  expect(headings('keys api')).toEqual(['API keys', 'rate_limited', 'One']);
  expect(headings('rate_limited')).toEqual(['rate_limited', 'API keys']);
  expect(headings('keys submarine')).toEqual([]);
});

test.each(['idemp', 'IDEMP', 'a webh idem'])('the search “%s” finds words by their beginnings', (words) =>
  expect(headings(words)).toEqual(['Limits']),
);

test('a part of a name finds the name', () => expect(headings('limited')).toContain('rate_limited'));

test.each(['webook', 'wehbook', 'idempotancy', 'rate_limitted'])(
  'a search for %s finds similar words, and says so',
  (words) => {
    const { hits, areSimilar } = search(words);
    expect([hits.length > 0, areSimilar]).toEqual([true, true]);
  },
);

test('an excerpt has the word that matches', () =>
  expect(search('idempotency').hits[0]?.excerpt).toContain('idempotency'));

test.each(['', ' ', '…', 'quux', 'zzzzzzzzzzzz', 'ab', 'x'.repeat(200)])(
  'a search for “%s” finds nothing',
  (words) => {
    expect(search(words)).toEqual({ hits: [], areSimilar: false });
  },
);

test('no search fails, and none finds more than 20 parts', async () => {
  const words = Array.from({ length: 20_000 }, (_, at) => `word${at.toString(36)}ending`);
  const parts = Array.from({ length: 200 }, (_, at) =>
    part(`p${at}`, words.slice(at * 100, at * 100 + 100).join(' ')),
  );
  const long = await indexDocuments([{ title: 'Long', parts }]);
  expect(long('word').hits.length).toBe(20);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(long(text).hits.length).toBeLessThanOrEqual(20);
    }),
  );
  const unknown = Array.from({ length: 30 }, (_, at) => `unknown${at}letters`).join(' ');
  expect(long(unknown).hits).toEqual([]);
});
