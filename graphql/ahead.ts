import { type FieldNode, type GraphQLResolveInfo, getArgumentValues, isObjectType } from 'graphql';
import type { GraphContext } from './builder.ts';
import type { CachedNestedList } from './connections.ts';
import { isIncluded } from './execution/conditions.ts';
import { listFieldsBelow, type Selecting } from './selection.ts';

/**
 * Starts to read lists of an object with the object itself, which the arguments identify. The fields of the lists find
 * the results in a cache, and report any error. @param object what the lists need of it
 */
export function readAhead(
  typeName: string,
  lists: ReadonlySet<string>,
  object: object,
  context: GraphContext,
  info: GraphQLResolveInfo,
): void {
  const type = info.schema.getType(typeName);
  if (!isObjectType(type)) return;
  const included = listFieldsBelow(info, (node) => isIncluded(node, info.variableValues));
  const byKey = Map.groupBy(included, ({ alias, name }: FieldNode) => (alias ?? name).value);
  for (const fieldNodes of byKey.values()) {
    const [node] = fieldNodes as [FieldNode];
    const field = lists.has(node.name.value) ? type.getFields()[node.name.value] : undefined;
    if (!field?.resolve) continue;
    try {
      const args = getArgumentValues(field, node, info.variableValues);
      const { schema, fragments } = info;
      const fieldInfo = { schema, fragments, fieldNodes } as unknown as GraphQLResolveInfo;
      Promise.resolve(field.resolve(object, args, context, fieldInfo)).catch(() => undefined);
    } catch {}
  }
}

/** Builds the read of a list of each object of a page, from the arguments of its field and the selection below it. */
type NestedListBuilder = (args: Record<string, unknown>, info: Selecting) => CachedNestedList;

/**
 * Returns the lists that a query selects of the objects of a page. The statement of the page reads them too. A list
 * with invalid arguments, or one that is selected more than once, is left to its own field.
 * @param path fields from the page to its objects
 */
export function findListsBelow(
  typeName: string,
  path: readonly string[],
  lists: Readonly<Record<string, NestedListBuilder>>,
  info: GraphQLResolveInfo,
): CachedNestedList[] {
  const { fragments, variableValues } = info;
  const type = info.schema.getType(typeName);
  if (!isObjectType(type)) return [];
  return findListFields(path, lists, info).flatMap(([name, node]) => {
    try {
      const args = getArgumentValues(type.getFields()[name]!, node, variableValues);
      return [lists[name]!(args, { fieldNodes: [node], fragments })];
    } catch {
      return [];
    }
  });
}

type SelectedFields = readonly (readonly [name: string, node: FieldNode])[];

/** Cached results of `findListFields` by field node, for selections that no variable can change. */
const selectedLists = new WeakMap<FieldNode, SelectedFields>();

/** Finds the fields of the given lists at the end of a path. A list that several fields select is left out. */
function findListFields(
  path: readonly string[],
  lists: Readonly<Record<string, NestedListBuilder>>,
  { fieldNodes, fragments, variableValues }: Selecting & Pick<GraphQLResolveInfo, 'variableValues'>,
): SelectedFields {
  const [field] = fieldNodes as [FieldNode];
  const known = fieldNodes.length === 1 ? selectedLists.get(field) : undefined;
  if (known) return known;
  let isConditioned = false;
  let nodes = fieldNodes;
  for (const name of [...path, undefined]) {
    const below = listFieldsBelow({ fieldNodes: nodes, fragments }, (node) => {
      isConditioned ||= Boolean(node.directives?.length);
      return isIncluded(node, variableValues);
    });
    nodes = name === undefined ? below : below.filter((node) => node.name.value === name);
  }
  const selected = Object.keys(lists).flatMap((name) => {
    const [node, another] = nodes.filter((node) => node.name.value === name);
    return node && !another ? [[name, node] as const] : [];
  });
  if (fieldNodes.length === 1 && !isConditioned) selectedLists.set(field, selected);
  return selected;
}
