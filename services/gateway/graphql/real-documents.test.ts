import { Registry } from '@prometheus-io/client';
import fc from 'fast-check';
import {
  execute,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
  validate,
} from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { openFilterValues } from '../../../db/queries/catalog/filter-values.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { openReadPools } from '../../../db/replicas/read-pools.ts';
import { executePlan } from '../../../graphql/execution/answer.ts';
import { planQuery } from '../../../graphql/execution/plan.ts';
import { createManifests } from '../../../graphql/manifests.ts';
import { schema } from '../../../graphql/schema.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { mix } from '../../../test/support/mix.ts';
import { address } from '../../../test/support/read-model.ts';
import {
  fillWholeModel,
  owner,
  provider,
  rule,
  sui,
  type WholeModel,
} from '../../../test/support/whole-model.ts';
import { openGraphShare } from './share.ts';

let model: WholeModel;
const gateway = useTestGateway(undefined, { network: testPackages });
beforeAll(async () => {
  model = await fillWholeModel(gateway);
});

const readFilterValues = openFilterValues();
const createContext = (db: Queryable) => ({
  db,
  manifests: createManifests(db),
  choose: () => 'testnet',
  requireSource: () => undefined,
  indexed: () => ({ checkpoint: 7, sources: [{ name: 'wallet', checkpoint: 7, checkpointAtMs: null }] }),
  readFilterValues,
});

/**
 * Returns literals of an argument, by its name, else by its type: known objects, some unknown ones, and a few wrong
 * ones.
 */
function listLiterals({ name, type }: GraphQLArgument): readonly string[] {
  const { listings, hidden, walletId, allowlistId, jobId } = model;
  const types = [...listings, hidden].map(({ serviceType }) => serviceType);
  const ids = [
    `Wallet:["testnet","${walletId}"]`,
    `Adaptor:["testnet","${types[0]}","${address(0xa1)}"]`,
    `Job:["testnet","${jobId}"]`,
    `Publisher:["testnet","${address(0xee)}"]`,
    'ServiceAction:["testnet",1001,0,0]',
    'WalletEvent:["testnet",1002,0,0]',
  ].map((id) => JSON.stringify(btoa(id)));
  const texts: Record<string, readonly string[]> = {
    address: [address(0xa1), provider],
    allowlistId: [allowlistId],
    jobId: [jobId],
    name: ['acme'],
    owner: [owner],
    provider: [provider],
    publisher: [address(0xa1), hidden.publisher],
    recipient: [provider],
    ruleType: [rule],
    serviceType: [...types, `${address(0x99)}::a::A`],
    walletId: [walletId],
  };
  const others: Record<string, readonly string[]> = {
    days: ['1', '30'],
    id: ids,
    ids: [`[${ids}]`, `[${ids.slice(2)}]`],
    AdaptorFilter: [
      '{ q: "adaptor" }',
      '{ category: "Swap", includeUnverified: true }',
      `{ coin: "${sui}", publisher: "0xa1" }`,
      '{ alike: "Adaptor 0" }',
    ],
    AttestationFilter: ['{ attester: { eq: "0x1" } }', '{ attester: { in: ["0x1", "0x2"] } }'],
    CheckpointRange: ['{ gte: 2, lt: 2000 }', '{ gte: 1000 }'],
    EventFilter: ['{ checkpoint: { gte: 2 } }'],
    RegistryEventFilter: ['{ sender: { eq: "0xa1" } }', '{ timestampMs: { gte: 0 } }'],
  };
  const inner = getNamedType(type);
  if (isEnumType(inner)) {
    const values = inner.getValues().map((value) => value.name);
    // The gateway serves one of both networks.
    return values.filter((value) => value.toLowerCase() !== 'mainnet');
  }
  return texts[name]?.map((text) => JSON.stringify(text)) ?? others[name] ?? others[inner.name] ?? [];
}

const pagings = ['', '', '', 'first: 1', 'first: 2', 'last: 1', 'last: 2'];
const wrongPagings = ['first: 0', 'after: "abc"'];

/** Returns a random document of the schema. A seed determines its choices. */
function generateDocument(seed: number, answered: Set<string>): string {
  const fragments: string[] = [];
  let choices = 0;
  let names = 0;
  const choose = <Item>(items: readonly Item[]): Item => items[mix(seed, choices++) % items.length]!;
  // Most documents have a result, and one in five has wrong arguments wherever it pages.
  const offered = choose([pagings, pagings, pagings, pagings, wrongPagings]);

  function generateArguments(field: GraphQLField<unknown, unknown>): string | undefined {
    const given: string[] = [];
    const paging = choose(offered);
    // Some fields have `first` alone.
    if (field.args.some(({ name }) => paging.startsWith(`${name}:`))) given.push(paging);
    for (const arg of field.args) {
      const literals = listLiterals(arg);
      const isRequired = isRequiredArgument(arg);
      if (literals.length === 0 && isRequired) return undefined;
      if (literals.length > 0 && (isRequired || choose([true, false, false])))
        given.push(`${arg.name}: ${choose(literals)}`);
    }
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  function generateField(
    type: GraphQLNamedType,
    field: GraphQLField<unknown, unknown>,
    depth: number,
  ): string {
    const args = generateArguments(field);
    if (args === undefined) return '';
    answered.add(`${type.name}.${field.name}`);
    const inner = getNamedType(field.type);
    const below = isLeafType(inner) ? '' : generateSelectionSet(inner, depth - 1);
    const text = `f${names++}: ${field.name}${args} ${choose(['', '', '', '@include(if: true)', '@skip(if: true)'])} ${below}`;
    // A field that is selected twice is answered once.
    return choose([true, false, false, false]) ? `${text} ${text}` : text;
  }

  function generateSelectionSet(type: GraphQLNamedType, depth: number): string {
    const parts = ['__typename'];
    if (isAbstractType(type)) {
      const possible = schema.getPossibleTypes(type);
      for (const own of [choose(possible), choose(possible), choose(possible)])
        parts.push(`... on ${own.name} ${generateSelectionSet(own, depth)}`);
    }
    if (isObjectType(type) || isInterfaceType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => depth > 0 || isLeafType(getNamedType(field.type)),
      );
      const few = type.name === 'Query' ? [1, 2] : [1, 2, 3, 4, 5];
      if (fields.length > 0)
        for (let left = choose(few); left > 0; left--) parts.push(generateField(type, choose(fields), depth));
    }
    const set = `{ ${parts.join(' ')} }`;
    if (type.name === 'Query' || choose([true, true, true, false])) return set;
    fragments.push(`fragment F${fragments.length} on ${type.name} ${set}`);
    return `{ ...F${fragments.length - 1} }`;
  }

  const query = generateSelectionSet(schema.getQueryType()!, 6);
  return [query, ...fragments].join('\n');
}

test('random documents of the schema are answered as graphql-js answers them, from the same rows', async () => {
  const share = openGraphShare(
    gateway.db.pool,
    openReadPools({ primary: gateway.db.pool, urls: [], lagMsMax: 0, log: silentLogger }),
    new Registry(),
  );
  const { signal } = new AbortController();
  const answered = new Set<string>();
  let [planned, failed] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const text = generateDocument(seed, answered);
      const document = parse(text);
      expect(validate(schema, document)).toEqual([]);
      const plan = planQuery(schema, document, getOperationAST(document)!);
      // A large document has no plan.
      if (!plan) return;
      const json = await share.run(
        (db) => executePlan(plan, createContext(db), undefined, 4_000_000),
        signal,
      );
      const contextValue = createContext(gateway.db.pool);
      const { data, errors } = await execute({ schema, document, contextValue });
      // Only the text has the spaces of JSON that PostgreSQL wrote.
      const own = json && JSON.stringify(JSON.parse(json));
      expect([text, own]).toEqual([text, errors ? undefined : JSON.stringify(data)]);
      planned += json === undefined ? 0 : 1;
      failed += errors ? 1 : 0;
    }),
    { numRuns: 250, examples: Array.from({ length: 200 }, (_, seed) => [seed]) },
  );
  expect(planned).toBeGreaterThan(100);
  expect(failed).toBeGreaterThan(5);
  expect(answered.size).toBeGreaterThan(250);
});
