import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';

/** Statements that one query may cause at most. A full page of everything causes 6. */
export const statementsMax = 10;

/**
 * How many statements a query causes. Fields that are read together count once, so thirty aliases of one adaptor are
 * one statement, and thirty aliases of a search are thirty.
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
  /** Fragments that were followed, with the statement that they are under: a second time adds nothing. */
  const followed = new Set<string>();
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
    if (!fragment || followed.has(key)) return;
    followed.add(key);
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
 * What a field's `extensions` say of the statement that answers it: `each` where it has one of its own, a name where
 * all fields of that name under one parent share one; undefined where it causes none.
 */
export function statementOf(field: GraphQLField<unknown, unknown>): string | undefined {
  const { statement } = field.extensions as { statement?: unknown };
  return typeof statement === 'string' ? statement : undefined;
}
