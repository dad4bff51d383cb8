import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findBreakingChanges, findCommittedSchema, nameSchema, readReleasedName } from './check-released.ts';
import { schema } from './schema.ts';

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

test('every type, field, argument and enum value of the graph is described', () => {
  const silent: string[] = [];
  const look = (name: string, { description }: { description?: string | null | undefined }) => {
    if (!description) silent.push(name);
  };
  for (const type of types) {
    look(type.name, type);
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        look(`${type.name}.${field.name}`, field);
        for (const arg of field.args) look(`${type.name}.${field.name}(${arg.name}:)`, arg);
      }
    } else if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) look(`${type.name}.${field.name}`, field);
    } else if (isEnumType(type)) {
      for (const value of type.getValues()) look(`${type.name}.${value.name}`, value);
    }
  }
  expect(types.length).toBeGreaterThan(60);
  expect(silent).toEqual([]);
});

test('every scalar of its own says where it is specified', () => {
  const scalars = types.filter(isScalarType);
  expect(scalars.map(({ name }) => name).toSorted()).toEqual(['Count', 'Date', 'JSON', 'Milliseconds']);
  for (const { specifiedByURL } of scalars) expect(specifiedByURL).toMatch(/^https:\/\//);
});

test('enum values are in capitals, but for the two enums that were there before', () => {
  const lower = types.filter(
    (type) => isEnumType(type) && type.getValues().some(({ name }) => /[a-z]/.test(name)),
  );
  expect(lower.map(({ name }) => name).toSorted()).toEqual(['AdaptorSort', 'Network']);
});

test('every argument that takes an old enum is deprecated, and has a new one beside it', () => {
  for (const type of types) {
    if (!isObjectType(type)) continue;
    for (const { name, args } of Object.values(type.getFields())) {
      for (const arg of args) {
        if (!/^(Network|AdaptorSort)/.test(String(arg.type))) continue;
        const at = `${type.name}.${name}(${arg.name}:)`;
        expect([at, Boolean(arg.deprecationReason)]).toEqual([at, true]);
        expect(args.map((other) => String(other.type))).toEqual(
          expect.arrayContaining([arg.name === 'network' ? 'Chain' : 'AdaptorOrder']),
        );
      }
    }
  }
});

test('every list that can be long is a connection with both directions and a length', () => {
  for (const type of types) {
    if (!isObjectType(type) || !type.name.endsWith('Connection')) continue;
    expect(Object.keys(type.getFields()).toSorted()).toEqual(['edges', 'pageInfo', 'totalCount']);
  }
  for (const type of types) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!/Connection!$/.test(String(field.type))) continue;
      const names = field.args.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['first', 'after', 'last', 'before']));
    }
  }
});

test('objects lead to those that lead to them', () => {
  const node = schema.getType('Node') as GraphQLInterfaceType;
  const isNode = (type: GraphQLObjectType) => type.getInterfaces().includes(node);
  /** Names of the objects that a type leads to, by types that are a part of it or of a list. */
  const below = (type: GraphQLObjectType, seen = new Set<GraphQLObjectType>()): string[] =>
    Object.values(type.getFields()).flatMap((field) => {
      const to = getNamedType(field.type);
      const targets = isInterfaceType(to) ? schema.getPossibleTypes(to) : isObjectType(to) ? [to] : [];
      return targets.flatMap((target) => {
        // Both are what a publisher registered for a service.
        if (isNode(target)) return target.name === 'Listing' ? 'Adaptor' : target.name;
        if (seen.has(target)) return [];
        seen.add(target);
        return below(target, seen);
      });
    });
  const objects = types.filter((type) => isObjectType(type)).filter(isNode);
  const led = new Map<string, Set<string>>();
  for (const type of objects) {
    const name = type.name === 'Listing' ? 'Adaptor' : type.name;
    led.set(name, new Set([...(led.get(name) ?? []), ...below(type)]));
  }
  const oneWay = [...led].flatMap(([from, all]) =>
    [...all].filter((to) => !led.get(to)!.has(from)).map((to) => `${from} -> ${to}`),
  );
  expect(led.size).toBeGreaterThan(15);
  // A service leads to its counted actions, and these to their events.
  expect(oneWay).toEqual(['WalletEvent -> Adaptor']);
});

describe('the released schema', () => {
  test('is named by the changelog, topmost first', () => {
    const changelog = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8');
    expect(readReleasedName(changelog)).toMatch(/^[0-9a-f]{12}$/);
    expect(readReleasedName('2: graph schema\n  `00000000000b`; 1: graph schema `00000000000a`')).toBe(
      '00000000000b',
    );
    expect(readReleasedName('no entry')).toBeUndefined();
  });

  test('is found among the commits of a repository, and not where none has it', () => {
    const root = mkdtempSync(join(tmpdir(), 'released-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: root });
    git('init', '--quiet');
    mkdirSync(join(root, 'graphql'));
    const versions = ['type Query { a: Int }\n', 'type Query { b: Int }\n'];
    for (const text of versions) {
      writeFileSync(join(root, 'graphql/schema.graphql'), text);
      git('add', '.');
      git('commit', '--quiet', '--message', 'a schema');
    }
    for (const text of versions) expect(findCommittedSchema(root, nameSchema(text))).toBe(text);
    expect(findCommittedSchema(root, '000000000000')).toBeUndefined();
  });

  test.each([
    ['a field that went', 'type Query { a: Int b: Int }', 'type Query { a: Int }'],
    ['a type that may be null now', 'type Query { a: Int! }', 'type Query { a: Int }'],
    ['an argument that is required now', 'type Query { a(b: Int): Int }', 'type Query { a(b: Int!): Int }'],
    [
      'an enum value that went',
      'type Query { a(b: E): Int } enum E { A B }',
      'type Query { a(b: E): Int } enum E { A }',
    ],
  ])('%s is a breaking change', (_, before, after) => {
    expect(findBreakingChanges(before, after)).toHaveLength(1);
    expect(findBreakingChanges(after, after)).toEqual([]);
  });

  test('more fields, optional arguments and deprecations are not', () => {
    const before = 'type Query { a: Int }';
    const after = 'type Query { a(c: Int): Int! @deprecated b: Int }';
    expect(findBreakingChanges(before, after)).toEqual([]);
  });
});
