import {
  type DocumentNode,
  type FieldNode,
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
  valueFromASTUntyped,
} from 'graphql';
import { firstDefault, firstMax } from '../paging.ts';

/** Fields that a query may ask for at most, list sizes multiplied out. A full page of everything has 10,000. */
export const costMax = 20_000;

/** What a list without `first` is taken to hold: such lists are short. */
const listSize = 10;

/**
 * How many fields an answer may have. A document is validated before, so fragments have no cycles; each is
 * still costed once per type, so that fragments that spread one another cannot make the count itself slow.
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
    // Introspection is bounded by graphql's own rule.
    if (node.name.value.startsWith('__')) return 1;
    const type = schema.getType(typeName);
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
    if (!field || !node.selectionSet) return 1;
    const inside = costOfSelections(node.selectionSet, getNamedType(field.type).name);
    return 1 + sizeOf(node, field) * inside;
  }

  /** How many times a field's selections are answered. */
  function sizeOf(node: FieldNode, field: GraphQLField<unknown, unknown>): number {
    if (field.args.some((arg) => arg.name === 'first')) return firstOf(node);
    // The edges of a connection are counted by its `first`.
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
    // What is out of bounds is refused by the resolver; it must not be cheap until then.
    return typeof first === 'number' && first >= 1 ? Math.min(first, firstMax) : firstMax;
  }
}

/** What the document itself gives its variables; a caller may leave them out. */
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
