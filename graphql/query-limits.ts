import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
  valueFromASTUntyped,
} from 'graphql';
import { firstDefault, firstMax } from './arguments.ts';

/** Useful queries have at most depth 7 and few aliases. GraphiQL's introspection query has limits of its own. */
export const queryLimits = { tokens: 1_000, depth: 10, aliases: 30, directives: 20 };

/** Rejects documents that nest too deep, fragments included. */
export function limitDepth(max: number): ValidationRule {
  return function LimitDepth(context: ValidationContext): ASTVisitor {
    const ofFragment = new Map<string, number>();
    return {
      OperationDefinition(operation) {
        const depth = depthOf(operation.selectionSet);
        if (depth > max) {
          context.reportError(tooLarge(`The query is ${depth} levels deep. The limit is ${max}.`, operation));
        }
      },
    };

    function depthOf({ selections }: SelectionSetNode): number {
      let deepest = 0;
      for (const selection of selections) {
        if (selection.kind === 'FragmentSpread') {
          deepest = Math.max(deepest, depthOfFragment(context.getFragment(selection.name.value)));
        } else if (selection.kind === 'InlineFragment') {
          deepest = Math.max(deepest, depthOf(selection.selectionSet));
        } else if (!selection.name.value.startsWith('__')) {
          deepest = Math.max(deepest, 1 + (selection.selectionSet ? depthOf(selection.selectionSet) : 0));
        }
      }
      return deepest;
    }

    /** Measures each fragment once. Another rule rejects cycles of fragments. */
    function depthOfFragment(fragment: FragmentDefinitionNode | null | undefined): number {
      if (!fragment) return 0;
      const name = fragment.name.value;
      const known = ofFragment.get(name);
      if (known !== undefined) return known;
      ofFragment.set(name, 0);
      const depth = depthOf(fragment.selectionSet);
      ofFragment.set(name, depth);
      return depth;
    }
  };
}

/** Rejects documents with too many aliases or directives. */
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

function tooLarge(message: string, node: ASTNode): GraphQLError {
  return new GraphQLError(message, { nodes: node, extensions: { code: 'query_too_large' } });
}

/** Most fields that a query may request, multiplied by the sizes of lists. A full page of everything has 10,000. */
export const costMax = 20_000;

/** Assumed size of a list without `first`: such lists are short. */
const listSize = 10;

/**
 * The most fields that the answer of a query can have. Takes validated documents, whose fragments have no cycles. The cost
 * of each fragment is computed once, so that fragments that spread each other do not make the computation slow.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === 'FragmentDefinition' ? [[node.name.value, node] as const] : [],
    ),
  );
  const costs = new Map<string, number>();
  const operation = document.definitions.find(
    (node) =>
      node.kind === 'OperationDefinition' && (operationName == null || node.name?.value === operationName),
  );
  if (operation?.kind !== 'OperationDefinition') return 0;
  const given = { ...defaultsOf(operation), ...variables };
  return costOfSelections(operation.selectionSet, 'Query');

  function costOfSelections({ selections }: SelectionSetNode, typeName: string): number {
    let cost = 0;
    for (const selection of selections) {
      if (selection.kind === 'Field') cost += costOfField(selection, typeName);
      else if (selection.kind === 'InlineFragment') {
        cost += costOfSelections(selection.selectionSet, selection.typeCondition?.name.value ?? typeName);
      } else cost += costOfFragment(selection.name.value);
    }
    return cost;
  }

  function costOfFragment(name: string): number {
    const fragment = fragments.get(name);
    if (!fragment) return 0;
    const known = costs.get(name);
    if (known !== undefined) return known;
    const cost = costOfSelections(fragment.selectionSet, fragment.typeCondition.name.value);
    costs.set(name, cost);
    return cost;
  }

  function costOfField(node: FieldNode, typeName: string): number {
    // A rule of graphql limits introspection.
    if (node.name.value.startsWith('__')) return 1;
    const type = schema.getType(typeName);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
    if (!field || !node.selectionSet) return 1;
    const inside = costOfSelections(node.selectionSet, getNamedType(field.type).name);
    return 1 + sizeOf(node, field) * inside;
  }

  /** How often the answer repeats the selections of a field. */
  function sizeOf(node: FieldNode, field: GraphQLField<unknown, unknown>): number {
    if (field.args.some((arg) => arg.name === 'first')) return firstOf(node);
    // `first` of the connection has counted its edges.
    return isList(field.type) && node.name.value !== 'edges' ? listSize : 1;
  }

  function firstOf(node: FieldNode): number {
    const argument = node.arguments?.find(({ name }) => name.value === 'first');
    if (!argument) return firstDefault;
    const first =
      argument.value.kind === 'Variable'
        ? given[argument.value.name.value]
        : valueFromASTUntyped(argument.value);
    if (first === undefined || first === null) return firstDefault;
    // The resolver rejects a value out of bounds. Until then it counts as the largest.
    return typeof first === 'number' && first >= 1 ? Math.min(first, firstMax) : firstMax;
  }
}

/** Default values of the variables of an operation. */
function defaultsOf({ variableDefinitions }: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    (variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

/** Most SQL statements that one query may cause. A full page of everything causes 6. */
export const statementsMax = 10;

/**
 * The number of SQL statements that a query causes. Fields that are loaded together count once: thirty aliases of one
 * adaptor are one statement, thirty aliases of a search are thirty.
 */
export function statementsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): number {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === 'FragmentDefinition' ? [[node.name.value, node] as const] : [],
    ),
  );
  const found = new Set<string>();
  /** Visited fragments with the statement above them: a second visit adds nothing. */
  const visited = new Set<string>();
  for (const node of document.definitions) {
    if (node.kind !== 'OperationDefinition') continue;
    if (operationName == null || node.name?.value === operationName) visit(node.selectionSet, 'Query', '');
  }
  return found.size;

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
    const statement = statementOf(field);
    const own =
      statement === undefined ? under : `${under}/${statement === 'each' ? keyOf(node) : statement}`;
    if (own !== '') found.add(own);
    if (node.selectionSet) visit(node.selectionSet, getNamedType(field.type).name, own);
  }
}

const keyOf = ({ alias, name }: FieldNode) => `${name.value} as ${(alias ?? name).value}`;

/**
 * The SQL statement of a field, from its `extensions`: `each` if every use of the field causes a statement, a name if all
 * fields with that name under one parent share a statement, undefined if the field causes none.
 */
export function statementOf(field: GraphQLField<unknown, unknown>): string | undefined {
  const { statement } = field.extensions as { statement?: unknown };
  return typeof statement === 'string' ? statement : undefined;
}
