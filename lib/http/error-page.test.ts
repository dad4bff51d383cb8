import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listenLocally } from '../../test/support/listen-locally.ts';
import { problem } from '../errors/index.ts';
import { silentLogger } from '../log/index.ts';
import { beginExchange } from './exchange.ts';
import type { Route } from './route.ts';
import { router } from './router.ts';

const broken = (path: string, types: Pick<Route<unknown>, 'mediaType' | 'alternative'>): Route<unknown> => ({
  method: 'get',
  path,
  ...types,
  answer: () => Promise.reject(new TypeError('no such field')),
});

async function start(errorPage: NonNullable<Parameters<typeof router>[2]['errorPage']>): Promise<string> {
  const routes = [
    broken('/page', { mediaType: 'text/html' }),
    broken('/either', { mediaType: 'application/json', alternative: 'text/html' }),
    broken('/api', { mediaType: 'application/json' }),
  ];
  const step = router(routes, {}, { log: silentLogger, hint: '', errorPage });
  const server = createServer((req, res) => void step(beginExchange(req, res)));
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  return url;
}

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('an unexpected error is a page for a browser where there are pages, and JSON for a program and in the API', async () => {
  const url = await start(async ({ res }, { status, code }) => {
    res.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>${code}</h1>`);
  });
  for (const [path, page] of [
    ['/page', '<h1>internal_error</h1>'],
    ['/either', '<h1>internal_error</h1>'],
    ['/nothing', '<h1>not_found</h1>'],
  ] as const) {
    const shown = await fetch(url + path, { headers: browser });
    expect([shown.status, await shown.text()]).toEqual([path === '/nothing' ? 404 : 500, page]);
    const json = await fetch(url + path);
    expect(await json.json(), path).toMatchObject({ status: shown.status });
  }
  const api = await fetch(`${url}/api`, { headers: { accept: 'application/json, text/html' } });
  expect(await api.json()).toMatchObject({ code: 'internal_error' });
});

test('where the page of an error fails too, the browser gets the error as JSON', async () => {
  const url = await start(() => Promise.reject(new Error('no assets')));
  const answer = await fetch(`${url}/page`, { headers: browser });
  expect([answer.status, (await answer.json()).code]).toEqual([500, 'internal_error']);
});

test('where the caller refuses every form of the page of an error, it gets the error as JSON', async () => {
  const url = await start(() => Promise.reject(problem('not_acceptable', 'The page comes as br or gzip.')));
  const answer = await fetch(`${url}/nothing`, { headers: browser });
  expect([answer.status, (await answer.json()).code]).toEqual([404, 'not_found']);
});
