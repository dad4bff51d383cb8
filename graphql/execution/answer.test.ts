import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import {
  buildSchema,
  execute,
  GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  parse,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { mix } from '../../test/support/mix.ts';
import { executePlan } from './answer.ts';
import { JsonText } from './answer-size.ts';
import { planQuery } from './plan.ts';

const schema = buildSchema(`
  scalar Any
  enum Kind { ONE TWO }
  interface Named { name: String! next(n: Int): Named }
  type Cat implements Named { name: String! next(n: Int): Named lives: Int kind: Kind! cats: [Cat!]! any: Any }
  type Dog implements Named { name: String! next(n: Int): Named id: ID weight: Float! cat(n: Int = 3): Cat! names: [String] }
  union Pet = Cat | Dog
  type Query { cat: Cat dog(n: Int): Dog! named: [Named] pets: [[Pet!]] good: Boolean! }
`);

interface Thing {
  seed: number;
  __typename?: string;
}

/** One value in two hundred is an error, and one is null. */
const [errorAt, nullAt, rarity] = [3, 4, 200];

function generateValue(type: unknown, seed: number): unknown {
  if (isNonNullType(type)) return generateValue(type.ofType, seed);
  if (seed % rarity === errorAt) return new Error(`error ${seed}`);
  if (seed % rarity === nullAt) return null;
  if (isListType(type)) {
    return Array.from({ length: seed % 4 }, (_, at) => perhapsLater(type.ofType, mix(seed, at)));
  }
  if (isEnumType(type)) return seed % 2 ? 'ONE' : 'TWO';
  if (type instanceof GraphQLScalarType) return scalars[type.name]!(seed);
  return { seed, __typename: type instanceof GraphQLObjectType ? type.name : seed % 2 ? 'Cat' : 'Dog' };
}

const scalars: Record<string, (seed: number) => unknown> = {
  String: (seed) => `"${seed}" \u2028 é`,
  ID: (seed) => (seed % 2 ? String(seed) : seed % 1_000),
  Int: (seed) => seed % 1_000,
  Float: (seed) => seed / 8,
  Boolean: (seed) => seed % 2 === 0,
  Any: (seed) => [{ [`key${seed}`]: [null, 1.5, 'x'], when: new Date(0) }, new JsonText('{"a":1}')][seed % 2],
};

const perhapsLater = (type: unknown, seed: number) => {
  if (seed % 3 > 0) return generateValue(type, seed);
  return seed % rarity === 5
    ? Promise.reject(new Error('late'))
    : Promise.resolve().then(() => generateValue(type, seed));
};

function fill(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (type instanceof GraphQLObjectType) {
      for (const field of Object.values(type.getFields())) {
        field.resolve = (source, args, context) =>
          perhapsLater(field.type, mix(((source ?? context) as Thing).seed, field.name, args));
      }
    } else if (type instanceof GraphQLInterfaceType)
      type.resolveType = (thing) => (thing as Thing).__typename;
  }
  const pet = schema.getType('Pet');
  if (pet && 'resolveType' in pet) pet.resolveType = (thing) => (thing as Thing).__typename;
}
fill(schema);

/** Generates a random valid document. The seed determines all choices. */
function generateDocument(seed: number): string {
  let choices = 0;
  const choose = <Item>(items: readonly Item[]): Item => items[mix(seed, choices++) % items.length]!;

  function set(typeName: string, depth: number, fragments: readonly string[]): string {
    const type = schema.getType(typeName);
    const fields = type && 'getFields' in type ? Object.values(type.getFields()) : [];
    const parts = Array.from({ length: 1 + choose([0, 1, 2, 3, 4]) }, () => {
      const condition = choose([
        '',
        '',
        '',
        '',
        '@skip(if: true)',
        '@include(if: true)',
        '@include(if: false)',
      ]);
      if (depth > 0 && choose([0, 1, 2]) === 0) {
        const on = choose(typeName === 'Query' ? ['', 'on Query'] : ['', 'on Cat', 'on Dog', 'on Named']);
        const inside = on === '' ? typeName : on.slice(3);
        const fits = on !== 'on Dog' || typeName !== 'Cat';
        if (fits && (on !== 'on Cat' || typeName !== 'Dog'))
          return `... ${on} ${condition} ${set(inside, depth - 1, fragments)}`;
      }
      if (typeName !== 'Query' && fragments.length > 0 && choose([0, 1, 2, 3]) === 0)
        return `...${choose(fragments)} ${condition}`;
      if (fields.length === 0) return `__typename ${condition}`;
      const field = choose(fields);
      const args = field.args.length > 0 ? choose(['', '(n: 1)', '(n: $n)']) : '';
      const inner = String(getNamedType(field.type));
      const isLeaf = isLeafType(getNamedType(field.type));
      if (!isLeaf && depth === 0) return `__typename ${condition}`;
      // The alias contains the type and the arguments, so that fields with one response name can be merged.
      const alias = `${field.name}${args.replace(/\W/g, '')}${typeName === 'Named' ? 'Named' : typeName}`;
      const shown = choose([true, false]) ? `${alias}: ${field.name}` : `x${alias}: ${field.name}`;
      return `${shown}${args} ${condition} ${isLeaf ? '' : set(inner, depth - 1, fragments)}`;
    });
    return `{ __typename ${parts.join(' ')} }`;
  }

  const query = set('Query', 3, ['A', 'B']);
  return `query Q($n: Int) ${query} fragment A on Cat ${set('Cat', 1, [])} fragment B on Named ${set('Named', 1, ['A'])}`;
}

/**
 * `true` for validation errors that are usual in random documents. graphql-js executes these documents nevertheless.
 */
const isOfRandom = (message: string) => /never used|can never be of type/.test(message);

test('a planned answer is that of graphql-js, and every answer without an error is planned', async () => {
  let planned = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.option(fc.nat(3)), async (seed, n) => {
      const document = parse(generateDocument(seed));
      const faults = validate(schema, document).filter(({ message }) => !isOfRandom(message));
      expect(faults).toEqual([]);
      const operation = getOperationAST(document)!;
      const contextValue = { seed };
      const plan = planQuery(schema, document, operation);
      // Fragments can make a document too large for a plan.
      if (!plan) return;
      const { variableValues } = getVariableValues(schema, operation.variableDefinitions ?? [], { n });
      const json = await executePlan(plan, contextValue, variableValues, 1_000_000);
      const { data, errors } = await execute({ schema, document, contextValue, variableValues: { n } });
      expect(json).toBe(errors ? undefined : JSON.stringify(data));
      planned += json === undefined ? 0 : 1;
    }),
    { numRuns: 200 },
  );
  expect(planned).toBeGreaterThan(50);
});

test('what is promised after an answer has ended, or beside what ends it, fails unheard', async () => {
  const late = () => Promise.reject(new Error('late'));
  const lists = buildSchema('type Query { rows: [[String]] beside: [[String!]] bad: Boolean! }');
  const { rows, beside, bad } = lists.getQueryType()!.getFields();
  rows!.resolve = async () => [[late()], late(), [late()]];
  beside!.resolve = () => [[null, late()], [late()], late()];
  bad!.resolve = () => null;
  const unheard: unknown[] = [];
  const hear = (error: unknown) => void unheard.push(error);
  process.on('unhandledRejection', hear);
  try {
    for (const fields of ['rows bad', 'beside', 'rows beside']) {
      const document = parse(`{ ${fields} }`);
      const plan = planQuery(lists, document, getOperationAST(document)!)!;
      expect(await executePlan(plan, {}, undefined, 1_000)).toBeUndefined();
    }
    // Rejections without a listener are reported when the microtasks have run.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
  } finally {
    process.off('unhandledRejection', hear);
  }
  expect(unheard).toEqual([]);
});
