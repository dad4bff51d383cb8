import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildAnchor } from '../../web/words/markdown.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';
import { adminSecret } from '../support/keys.ts';
import { findPrometheus, startPrometheus } from '../support/prometheus-server.ts';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '../../monitoring');
const alertsFile = join(folder, 'alerts.yml');

let marketplace: DemoMarketplace;
let prometheus: Awaited<ReturnType<typeof startPrometheus>>;
/** Metrics of the service, as it serves them: `true` if there are samples. */
const metrics = new Map<string, boolean>();

beforeAll(async () => {
  marketplace = await startDemoMarketplace([], {
    REDIS_URL: 'memory:',
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    SQL_DATABASE_URL: 'embedded:',
  });
  const { baseUrl } = marketplace.demo;
  for (const path of ['/api/adaptors', '/status']) expect((await fetch(baseUrl + path)).status).toBe(200);
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  for (const [, name] of text.matchAll(/^# TYPE (\w+) /gm)) metrics.set(name!, false);
  for (const [, name] of text.matchAll(/^(\w+?)(?:_bucket)?(?:\{| )/gm))
    if (metrics.has(name!)) metrics.set(name!, true);
  prometheus = await startPrometheus(new URL(baseUrl).host, alertsFile);
});
afterAll(async () => {
  await prometheus?.close();
  await marketplace?.close();
});

/** Names of the metrics that a query reads: identifiers outside of labels, strings and functions. */
function listMetrics(query: string): string[] {
  const bare = query.replace(/\{[^}]*\}|\[[^\]]*\]|\b(?:by|without) ?\([^)]*\)/g, ' ');
  const names = bare.match(/\b[a-z]\w*_\w+\b(?! *\()/g) ?? [];
  return names.map((name) => (metrics.has(name) ? name : name.replace(/_(?:bucket|count|sum)$/, '')));
}

test('each alert fires for what it is about, and not before its time', async () => {
  const { promtool } = await findPrometheus();
  await run(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', alertsFile]);
  await run(promtool, ['test', 'rules', 'alerts.test.yml'], { cwd: folder });
  const alerts = (await readFile(alertsFile, 'utf8')).matchAll(/^ +- alert: (\w+)$/gm);
  const tests = await readFile(join(folder, 'alerts.test.yml'), 'utf8');
  for (const [, alert] of alerts) expect(tests).toContain(`labels: '{alertname="${alert}"`);
});

test('each alert reads metrics that the service has, evaluates on them, and leads to a document', async () => {
  await eventually(async () => {
    const { groups } = await prometheus.get('rules');
    expect(
      groups[0].rules.map(({ health, lastError }: { health: string; lastError?: string }) => [
        health,
        lastError,
      ]),
    ).toEqual(groups[0].rules.map(() => ['ok', undefined]));
  });
  const { groups } = await prometheus.get('rules');
  for (const { name, query, annotations } of groups[0].rules) {
    const names = listMetrics(query).filter((metric) => metric !== 'up');
    if (name !== 'MarketplaceDown') expect(names, name).not.toEqual([]);
    for (const metric of names) expect(metrics.has(metric), `${name}: ${metric}`).toBe(true);
    const [file, anchor] = annotations.runbook.split('#');
    const headings = (await readFile(join(folder, '..', file), 'utf8')).match(/^#+ .*$/gm)!;
    const anchors = headings.map((line) => buildAnchor(line.replace(/^#+ /, '')));
    if (anchor) expect(anchors, `${name}: ${annotations.runbook}`).toContain(anchor);
  }
});

test('a healthy marketplace has no alert, not even a pending one', async () => {
  await eventually(async () => {
    const { result } = await prometheus.get('query?query=min(source_ready)');
    expect(result[0]?.value[1]).toBe('1');
    const { alerts } = await prometheus.get('alerts');
    expect(alerts).toEqual([]);
  });
});

test('each query of the dashboard has a result where the service has samples, with the labels of its legend', async () => {
  const { panels } = JSON.parse(await readFile(join(folder, 'dashboard.json'), 'utf8'));
  const targets: { expr: string; legendFormat: string }[] = panels.flatMap(({ targets = [] }) => targets);
  expect(targets.length).toBeGreaterThan(25);
  for (const { expr, legendFormat } of targets) {
    const names = listMetrics(expr);
    expect(names, expr).not.toEqual([]);
    for (const name of names) expect(metrics.has(name), `${expr}: ${name}`).toBe(true);
    const query = encodeURIComponent(expr.replaceAll('$__rate_interval', '1m'));
    await eventually(async () => {
      const { result } = await prometheus.get(`query?query=${query}`);
      if (names.every((name) => metrics.get(name))) expect(result, expr).not.toEqual([]);
      for (const { metric } of result)
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect(metric, expr).toHaveProperty(label!);
    });
  }
});
