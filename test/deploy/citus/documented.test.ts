import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase, Pool } from 'pg';
import { describe, expect, test } from 'vitest';
import { findKey } from '../../../db/queries/agent/access.ts';
import { copyUsage, refreshRecentUsage } from '../../../db/queries/catalog/counts.ts';
import { foldReviews } from '../../../db/queries/catalog/fold-reviews.ts';
import { addRatingDays, readRatingDays } from '../../../db/queries/catalog/rating-days.ts';
import { findCheckpointAfter } from '../../../db/queries/sources.ts';
import { addUsage } from '../../../db/queries/usage.ts';
import { insertCaps, readCapsMintedFor } from '../../../db/queries/wallets/caps.ts';
import { readDelegates } from '../../../db/queries/wallets/delegates.ts';
import { readGrants } from '../../../db/queries/wallets/grants.ts';
import { readPolicies } from '../../../db/queries/wallets/policies.ts';
import { readPositionBefore } from '../../../db/queries/webhooks/positions.ts';
import { parseStatements } from '../../support/citus/layout.ts';
import { listRelations, planText } from '../../support/citus/plan.ts';
import { readCitusLayout, readEntries } from '../../support/citus/read-layouts.ts';

const root = join(import.meta.dirname, '../../..');

const network = 'testnet';
const catalog = { network, revision: 1 };
const from = { checkpoint: 0, txIndex: 0 };
const cap = {
  capId: '0x1',
  kind: 'bearer' as const,
  walletId: '0x2',
  recipient: '0x3',
  minted: { checkpoint: 1, txIndex: 0, eventIndex: 0, timestampMs: 0 },
};

/** Calls of the functions that docs/citus.md names. */
const calls: Readonly<Record<string, (db: ClientBase & Pool) => Promise<unknown>>> = {
  'db/queries/agent/access.ts#findKey': (db) => findKey(db, 'x'),
  'db/queries/catalog/counts.ts#refreshRecentUsage': (db) => refreshRecentUsage(db, catalog),
  'db/queries/catalog/counts.ts#copyUsage': (db) => copyUsage(db, catalog, ['x']),
  'db/queries/catalog/fold-reviews.ts#foldReviews': (db) => foldReviews(db, catalog, 0),
  'db/queries/catalog/rating-days.ts#addRatingDays': (db) => addRatingDays(db, network, from, 1),
  'db/queries/catalog/rating-days.ts#readRatingDays': (db) =>
    readRatingDays(db, [{ network, serviceType: 'x', days: 1 }]),
  'db/queries/sources.ts#findCheckpointAfter': (db) =>
    findCheckpointAfter(db, network, ['service_actions', 'attestations'], from, 1),
  'db/queries/usage.ts#addUsage': (db) => addUsage(db, network, from),
  'db/queries/wallets/caps.ts#insertCaps': (db) => insertCaps(db, network, [cap]),
  'db/queries/wallets/caps.ts#readCapsMintedFor': (db) =>
    readCapsMintedFor(db, { network, recipient: 'x', limit: 1 }),
  'db/queries/wallets/delegates.ts#readDelegates': (db) =>
    readDelegates(db, [{ network, walletId: 'x', first: 1, budgets: true }]),
  'db/queries/wallets/grants.ts#readGrants': (db) => readGrants(db, [{ network, walletId: 'x' }]),
  'db/queries/webhooks/positions.ts#readPositionBefore': (db) =>
    readPositionBefore(db, { key: network, log: 'registry', network }, 0),
  'db/queries/wallets/policies.ts#readPolicies': (db) =>
    readPolicies(db, { network, walletIds: ['x'], capIds: [] }),
};

/** Texts that a function sends. The connection answers without rows. */
async function listTexts(source: string): Promise<string[]> {
  const texts: string[] = [];
  const query = async (given: string | { text: string }) => {
    texts.push(typeof given === 'string' ? given : given.text);
    return { rows: [], rowCount: 0 };
  };
  const call = calls[source];
  if (!call) throw new Error(`${source} has no call in this test`);
  await call({ query } as unknown as ClientBase & Pool);
  return texts;
}

const statements = await readEntries('Statements of the layout');
const leftOut = await readEntries('Tables that were left out');
const layout = await readCitusLayout('distribute.sql');
const candidates = await readCitusLayout('candidates.sql');

describe('each statement that docs/citus.md names', () => {
  test.each([...statements, ...leftOut].map(({ source }) => source))(
    'is in a function that exists: %s',
    (source) => {
      const [path = '', name = ''] = source.split('#');
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(readFileSync(join(root, path), 'utf8')).toMatch(new RegExp(`\\b${name}\\b`));
    },
  );

  test.each(statements.filter(({ source, cells }) => source.startsWith('db/queries') && cells[1] !== 'any'))(
    'is planned as it says: $source',
    async ({ source, cells }) => {
      const [, kind, reason] = cells;
      const plans = (await listTexts(source)).map((text) => planText(text, layout));
      expect(plans.map((plan) => ({ kind: plan.kind, reason: plan.reasons.join('; ') }))).toContainEqual({
        kind,
        reason,
      });
      expect(plans.map((plan) => plan.kind)).not.toContain('refused');
    },
  );
});

describe('each table that docs/citus.md leaves out', () => {
  test('is each table of candidates.sql that distribute.sql has not', () => {
    const tables = leftOut.map(({ cells }) => cells[0]!.replaceAll('`', ''));
    const expected = [...candidates.distributed.keys()].filter((name) => !layout.distributed.has(name));
    expect(tables.sort()).toEqual(expected.sort());
    for (const { cells } of leftOut) {
      expect(cells[1]).toBe(`\`${candidates.distributed.get(cells[0]!.replaceAll('`', ''))?.column}\``);
    }
  });

  test.each(leftOut)('has a statement that is refused: $cells.0', async ({ source, cells }) => {
    const table = cells[0]!.replaceAll('`', '');
    const naming = (await listTexts(source)).filter((text) =>
      parseStatements(text).some((one) => listRelations(one.fields, candidates).has(table)),
    );
    const plans = naming.map((text) => planText(text, candidates));
    expect(plans).toContainEqual({ kind: 'refused', reasons: [cells.at(-1)] });
  });
});

test('each file that names a distributed table has a statement in docs/citus.md', () => {
  const tables = [...layout.distributed.keys()];
  // SQL names the table, the query builder and the makers of statements its constant in db/schema.
  const constants = tables.map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  const named = new RegExp(
    `\\b(?:from|join|into|update|table|copy|truncate)\\s+(?:${tables.join('|')})\\b|\\btables\\.(?:${constants.join('|')})\\b`,
  );
  const files = globSync('{db,graphql,lib,services}/**/*.ts', { cwd: root }).filter(
    (path) =>
      !/\.test\.ts$|\/testing\/|^db\/(?:schema|migrations)\//.test(path) &&
      named.test(readFileSync(join(root, path), 'utf8')),
  );
  const documented = new Set(statements.map(({ source }) => source.split('#')[0]));
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((path) => !documented.has(path))).toEqual([]);
});
