import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { problems } from '../../../lib/errors/index.ts';
import type { DocumentAt } from '../../../web/pages/docs.ts';
import type { DocumentSearch } from '../../../web/words/search.ts';
import { createOpenApiDocument } from '../openapi/document.ts';
import { routes } from '../routes.ts';
import { renderDocuments } from './guides.ts';

let all: DocumentAt[];
let search: DocumentSearch;
beforeAll(async () => {
  // Another test file may have loaded the documents in this process.
  vi.resetModules();
  const { loadGuides } = await import('./guides.ts');
  // A file that cannot be read once, as while too many are open, must not fail all later requests.
  await expect(loadGuides(undefined as never)).rejects.toThrow();
  ({ documents: all, search } = await loadGuides(createOpenApiDocument(routes)));
});
afterAll(() => void vi.resetModules());
const first = (words: string) => search(words).hits[0]?.href;

test('no other request waits while all documents are rendered: each is in a turn of its own', async () => {
  let isDone = false;
  const rendered = renderDocuments(createOpenApiDocument(routes)).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await setImmediate();
  expect(turns).toBeGreaterThanOrEqual((await rendered).length);
});

describe('the search of the documents finds first', () => {
  test('the page of every error code', () => {
    for (const code of Object.keys(problems)) expect(first(code)).toBe(`/errors/${code}`);
  });

  test('the description of every setting', async () => {
    const example = await readFile(join(import.meta.dirname, '../../../.env.example'), 'utf8');
    const names = [...example.matchAll(/^#([A-Z0-9_]+)=/gm)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) expect(first(name)).toBe(`/docs/settings#${name.toLowerCase()}`);
  });

  test('the part of a guide whose heading is searched for', () => {
    for (const { href, parts } of all.filter(({ href }) => !href.startsWith('/docs/decisions'))) {
      for (const { heading } of parts.filter(({ heading }) => !heading.includes('_'))) {
        const hits = search(heading).hits.map((hit) => hit.heading.toLowerCase());
        expect([href, hits]).toEqual([href, expect.arrayContaining([heading.toLowerCase()])]);
      }
    }
  });
});

test('every diagram of a document is a drawing with a name, and takes nothing from elsewhere', () => {
  const bodies = all.map(({ href, renderBody }) => ({ href, body: renderBody() }));
  const drawings = bodies.flatMap(({ body }) =>
    [...body.matchAll(/<svg xmlns[\s\S]*?<\/svg>/g)].map(([svg]) => svg),
  );
  expect(drawings.length).toBeGreaterThan(10);
  for (const svg of drawings) {
    expect(svg).toMatch(/^<svg xmlns="[^"]+" role="img" aria-label="\w[^"]+"/);
    expect(svg.replace(/ xmlns="[^"]+"/, '')).not.toMatch(/style|url\(|href|https?:| id=|NaN|undefined/);
  }
  const sources = bodies.flatMap(({ href, body }) =>
    [...body.matchAll(/<code>(flowchart|sequenceDiagram|stateDiagram)/g)].map(() => href),
  );
  expect(sources.length).toBe(drawings.length);
});

test.each([
  ['webook delivry', '/docs/webhooks'],
  ['idempotancy', '/docs/'],
])('a search for %s with typos finds something below %s', (words, path) => {
  const { hits, areSimilar } = search(words);
  expect(areSimilar).toBe(true);
  expect(hits.some(({ href }) => href.startsWith(path))).toBe(true);
});
