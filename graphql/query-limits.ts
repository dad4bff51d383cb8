import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getVariableValues,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import type { CoercedVariables } from './execution/conditions.ts';

/** Useful queries have at most depth 7 and few aliases. GraphiQL's introspection query has limits of its own. */
export const queryLimits = { tokens: 1_000, depth: 10, aliases: 30, directives: 20 };

export function limitDepth(max: number): ValidationRule {
  return function LimitDepth(context: ValidationContext): ASTVisitor {
    const depthByFragment = new Map<string, number>();
    return {
      OperationDefinition(operation) {
        const depth = computeDepth(operation.selectionSet);
        if (depth > max) {
          context.reportError(tooLarge(`The query is ${depth} levels deep. The limit is ${max}.`, operation));
        }
      },
    };

    function computeDepth({ selections }: SelectionSetNode): number {
      let deepest = 0;
      for (const selection of selections) {
        if (selection.kind === 'FragmentSpread') {
          deepest = Math.max(deepest, measureFragment(context.getFragment(selection.name.value)));
        } else if (selection.kind === 'InlineFragment') {
          deepest = Math.max(deepest, computeDepth(selection.selectionSet));
        } else if (!selection.name.value.startsWith('__')) {
          deepest = Math.max(
            deepest,
            1 + (selection.selectionSet ? computeDepth(selection.selectionSet) : 0),
          );
        }
      }
      return deepest;
    }

    /** Measures each fragment once. Another rule rejects cycles of fragments. */
    function measureFragment(fragment: FragmentDefinitionNode | null | undefined): number {
      if (!fragment) return 0;
      const name = fragment.name.value;
      const known = depthByFragment.get(name);
      if (known !== undefined) return known;
      depthByFragment.set(name, 0);
      const depth = computeDepth(fragment.selectionSet);
      depthByFragment.set(name, depth);
      return depth;
    }
  };
}

export function limitCounts(max: { aliases: number; directives: number }): ValidationRule {
  return function LimitCounts(context: ValidationContext): ASTVisitor {
    let aliases = 0;
    let directives = 0;
    return {
      Field(field) {
        if (field.alias && ++aliases === max.aliases + 1) {
          context.reportError(tooLarge(`The document has more than ${max.aliases} aliases.`, field));
        }
      },
      Directive(directive) {
        if (++directives === max.directives + 1) {
          context.reportError(
            tooLarge(`The document has more than ${max.directives} directives.`, directive),
          );
        }
      },
    };
  };
}

/** The error of a document that exceeds a limit, at the part that is too large or for the whole document. */
export function tooLarge(message: string, node?: ASTNode): GraphQLError {
  return new GraphQLError(message, { nodes: node ?? null, extensions: { code: 'query_too_large' } });
}

/** Maximum cost of a query: its fields, multiplied by the sizes of lists. A full page with every field costs 10,000. */
export const costMax = 20_000;

/** Items per page: the default and the maximum. */
export const [firstDefault, firstMax] = [20, 100] as const;

/** Assumed size of a list without `first`, unless its field says otherwise: such lists are short. */
export const listSize = 10;

/** Cost of a field: 1, and the factor by which the response can repeat its selections. */
export function estimateFieldCost(args: Record<string, unknown>, field: GraphQLField<unknown, never>) {
  return { field: 1, multiplier: estimateSize(args, field) };
}

function estimateSize(args: Record<string, unknown>, field: GraphQLField<unknown, never>): number {
  if (field.args.some((arg) => arg.name === 'first')) {
    const size = args.first ?? args.last ?? firstDefault;
    // The resolver rejects a value out of bounds. Until then it counts as the largest.
    return typeof size === 'number' && size >= 1 ? Math.min(size, firstMax) : firstMax;
  }
  // `first` of the connection has counted its edges.
  return isList(field.type) && field.name !== 'edges' ? listSize : 1;
}

/**
 * Estimates the most fields in the response of an operation, with introspection at its own rate.
 * @throws GraphQLError for a required argument whose variable is null
 */
export function estimateCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const introspection = countIntrospectionFields(schema, document) / countFullIntrospection(schema);
  return (
    complexityFromQuery(document, { schema, variables }).complexity +
    Math.ceil(introspection * fullIntrospectionCost)
  );
}

/** Coerces the variables of an operation, or returns the first error. A long list could have thousands. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): CoercedVariables | GraphQLError {
  const coerced = getVariableValues(schema, variableDefinitions ?? [], variables, { maxErrors: 1 });
  return coerced.errors?.[0] ?? coerced.variableValues!;
}

const fullIntrospections = new WeakMap<GraphQLSchema, number>();

/** Counts the fields of the introspection query by which tools read the whole schema. */
function countFullIntrospection(schema: GraphQLSchema): number {
  const known = fullIntrospections.get(schema);
  if (known !== undefined) return known;
  const everything = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true });
  const fields = countIntrospectionFields(schema, parse(everything));
  fullIntrospections.set(schema, fields);
  return fields;
}

/** Cost of introspecting the whole schema, as tools do. Smaller introspection queries cost a share of it. */
const fullIntrospectionCost = 8_000;

/** Counts the fields below `__schema` and `__type`, multiplied by the assumed sizes of lists. */
function countIntrospectionFields(schema: GraphQLSchema, document: DocumentNode): number {
  const fragments = collectFragments(document);
  const fieldsByFragment = new Map<string, number>();
  let fields = 0;
  for (const node of document.definitions) {
    if (node.kind === 'OperationDefinition') fields += countFields(node.selectionSet, undefined);
  }
  return fields;

  /** Counts the fields below a type; at the root of an operation, those of `__schema` and `__type` alone. */
  function countFields({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): number {
    let sum = 0;
    for (const selection of selections) {
      if (selection.kind === 'FragmentSpread') sum += countBelowFragment(selection.name.value, type);
      else if (selection.kind === 'InlineFragment') sum += countFields(selection.selectionSet, type);
      else sum += countBelowField(selection, type);
    }
    return sum;
  }

  function countBelowField({ name, selectionSet }: FieldNode, type: GraphQLNamedType | undefined): number {
    if (!type) {
      const root = introspectionRoots[name.value];
      return root && selectionSet ? 1 + countFields(selectionSet, schema.getType(root)) : 0;
    }
    const field = isObjectType(type) ? type.getFields()[name.value] : undefined;
    if (!field || !selectionSet) return 1;
    const size = name.value === 'types' ? Object.keys(schema.getTypeMap()).length : introspectionListSize;
    const inside = countFields(selectionSet, getNamedType(field.type));
    return 1 + (isList(field.type) ? size : 1) * inside;
  }

  function countBelowFragment(name: string, type: GraphQLNamedType | undefined): number {
    const known = fieldsByFragment.get(name);
    if (known !== undefined) return known;
    const fragment = fragments.get(name);
    if (!fragment) return 0;
    const sum = countFields(fragment.selectionSet, type);
    fieldsByFragment.set(name, sum);
    return sum;
  }
}

const introspectionRoots: Readonly<Record<string, string>> = { __schema: '__Schema', __type: '__Type' };

/** Assumed size of a list that describes one type or field. */
const introspectionListSize = 5;

const collectFragments = (document: DocumentNode) =>
  new Map(
    document.definitions.flatMap((node) =>
      node.kind === 'FragmentDefinition' ? [[node.name.value, node] as const] : [],
    ),
  );

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

/** Maximum SQL statements that one query may cause. A full page of everything causes 6. */
export const statementsMax = 10;

/**
 * Finds the SQL statements that an operation causes, each by its path. Fields that are loaded together count once:
 * thirty aliases of one adaptor are one statement, but thirty aliases of a search are thirty.
 */
export function listStatements(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Set<string> {
  const fragments = collectFragments(document);
  const paths = new Set<string>();
  /** Visited fragments with the statement above them: a second visit adds nothing. */
  const visited = new Set<string>();
  visit(operation.selectionSet, schema.getRootType(operation.operation)?.name ?? '', '');
  return paths;

  function visit({ selections }: SelectionSetNode, typeName: string, under: string): void {
    for (const selection of selections) {
      if (selection.kind === 'Field') visitField(selection, typeName, under);
      else if (selection.kind === 'InlineFragment') {
        visit(selection.selectionSet, selection.typeCondition?.name.value ?? typeName, under);
      } else visitFragment(selection.name.value, under);
    }
  }

  function visitFragment(name: string, under: string): void {
    const fragment = fragments.get(name);
    const key = `${name} ${under}`;
    if (!fragment || visited.has(key)) return;
    visited.add(key);
    visit(fragment.selectionSet, fragment.typeCondition.name.value, under);
  }

  function visitField(node: FieldNode, typeName: string, under: string): void {
    const type = schema.getType(typeName);
    const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
    const field = fields[node.name.value];
    if (!field) return;
    const statement = findStatement(field);
    const path =
      statement === undefined ? under : `${under}/${statement === 'each' ? buildKey(node) : statement}`;
    if (path !== '') paths.add(path);
    if (node.selectionSet) visit(node.selectionSet, getNamedType(field.type).name, path);
  }
}

const buildKey = ({ alias, name }: FieldNode) => `${name.value} as ${(alias ?? name).value}`;

/**
 * Returns the SQL statement of a field, from its `extensions`: `each` if every use of the field causes a statement, a
 * name if all fields with that name under one parent share a statement, undefined if the field causes none.
 */
export function findStatement(field: GraphQLField<unknown, unknown>): string | undefined {
  const { statement } = field.extensions as { statement?: unknown };
  return typeof statement === 'string' ? statement : undefined;
}
