import { expect, test } from 'vitest';
import { searchDocuments } from './search.ts';

const part = (heading: string, text: string) => ({ level: 2, href: `/docs/x#${heading}`, heading, text });
const documents = [
  {
    title: 'One',
    parts: [part('One', 'Keys of the API.'), part('Limits', 'Nothing. A webhook has an idempotency key.')],
  },
  {
    title: 'API keys',
    parts: [part('API keys', 'How to get one, once. webhook rate_limited'), part('rate_limited', '')],
  },
];
const headings = (search: string) => searchDocuments(documents, search).hits.map(({ heading }) => heading);

test('a search finds the part that has all words, those in headings first', () => {
  expect(headings('keys api')).toEqual(['API keys', 'rate_limited', 'One']);
  expect(headings('rate_limited')).toEqual(['rate_limited', 'API keys']);
  expect(headings('keys nothing')).toEqual([]);
  expect(headings(' ')).toEqual([]);
});

test('a search finds words by their beginning', () => expect(headings('idemp')).toEqual(['Limits']));

test.each([
  ['webook', 'webhook'],
  ['wehbook', 'webhook'],
  ['idempotancy', 'idempotency'],
  ['idempotancy kez', 'idempotency kez'],
  ['rate_limitted', 'rate_limited'],
])('a search for %s is corrected to %s, and says so', (search, corrected) =>
  expect(searchDocuments(documents, search).corrected).toBe(corrected),
);

test('a word with any one letter changed, left out, added or swapped with the next is corrected', () => {
  const word = 'idempotency';
  const wrong = Array.from(word, (_, at) => [
    `${word.slice(0, at)}ж${word.slice(at + 1)}`,
    `${word.slice(0, at)}${word.slice(at + 1)}`,
    `${word.slice(0, at)}q${word.slice(at)}`,
    `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at]}${word.slice(at + 2)}`,
  ])
    .flat()
    // The beginning of a word needs no correction.
    .filter((one) => !word.includes(one));
  for (const one of wrong) expect([one, searchDocuments(documents, one).corrected]).toEqual([one, word]);
});

test.each(['quux', 'zzzzzzzzzzzz', 'ab', 'x'.repeat(200)])('a search for %s finds nothing', (search) => {
  expect(searchDocuments(documents, search)).toEqual({ hits: [] });
});

test('a long search over long documents ends soon', () => {
  const words = Array.from({ length: 20_000 }, (_, at) => `word${at.toString(36)}ending`);
  const long = [{ title: 'Long', parts: [part('Long', words.join(' '))] }];
  const search = Array.from({ length: 30 }, (_, at) => `unknown${at}letters`).join(' ');
  expect(searchDocuments(long, search).hits).toEqual([]);
});
