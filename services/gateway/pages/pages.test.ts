import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway, testPackages } from '../../../test/support/gateway.ts';

const script = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(
    (seed) => seed.listing({ manifest: { name: script, summary: script, integrator: script } }),
    undefined,
    testPackages,
  );
});
afterAll(() => gateway.close());

async function getPage(path: string) {
  const answer = await fetch(gateway.url + path, { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect(answer.status).toBe(200);
  return { html: await answer.text(), policy: answer.headers.get('content-security-policy')!, answer };
}

/** Texts of the elements of one name that stand inline. */
const inline = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(([, text]) => text!);

test.each(['/', '/docs', '/graphql'])('nothing that a publisher wrote can run on %s', async (path) => {
  const { html, policy } = await getPage(path);
  expect(html).not.toContain('alert(1)');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/script-src[^;]*(unsafe-inline|unsafe-eval|https?:|\*)/);
  for (const text of inline(html, 'script')) {
    expect(policy).toContain(createHash('sha256').update(text).digest('base64'));
  }
  expect(html).not.toMatch(/ on[a-z]+="/);
});

test('a catalog opened in a browser is data, not a page', async () => {
  const answer = await fetch(`${gateway.url}/api/adaptors`, { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toContain('alert(1)');
});

test('the pages need nothing from elsewhere: every file that they name is here', async () => {
  const { html } = await getPage('/docs');
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
  expect(files).toHaveLength(3);
  for (const file of files) {
    const answer = await fetch(gateway.url + file);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(
      file.endsWith('.css') ? 'text/css' : 'text/javascript',
    );
    expect((await answer.text()).length).toBeGreaterThan(50);
  }
});

test('a program that asks the graph for nothing gets an answer, not nine megabytes of page', async () => {
  const answer = await fetch(`${gateway.url}/graphql`);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('vary')).toBe('accept');
  expect((await answer.arrayBuffer()).byteLength).toBeLessThan(1_000);
});

test('every link of the landing page leads somewhere', async () => {
  const { html } = await getPage('/');
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!);
  expect(links.length).toBeGreaterThan(5);
  for (const link of links) {
    const answer = await fetch(gateway.url + link, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([link, answer.status === 200 || link === '/readyz']).toEqual([link, true]);
    await answer.arrayBuffer();
  }
});
