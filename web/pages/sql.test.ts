import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { html, render } from '../components/html.ts';
import { sqlPage } from './sql.ts';

const host = { isOn: false, views: [], questions: [] };
const readPage = (node: { url: string; faucetUrl?: string }) =>
  render(html`${sqlPage(host, { network: 'testnet', node, statement: null }).main}`);

test('on a local network, the page of SQL shows the command that turns it on, as the documents have it', () => {
  const page = readPage({ url: 'http://127.0.0.1:9000', faucetUrl: 'http://127.0.0.1:9123' });
  const [, command] = /<pre[^>]*><code[^>]*>([^<]*npm start)/.exec(page) ?? [];
  expect(command).toMatch(/REDIS_URL=memory: .*SQL_DATABASE_URL=embedded: npm start/);
  const document = readFileSync(join(import.meta.dirname, '../../docs/analytics.md'), 'utf8');
  expect(document).toContain(command);
});

test('on a public network, the page names the settings of the operator', () => {
  const page = readPage({ url: 'https://node.example' });
  expect(page).toContain('SQL_DATABASE_URL');
  expect(page).not.toContain('npm start');
});
