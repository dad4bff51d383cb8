import { type FieldNode, type GraphQLResolveInfo, getArgumentValues, isObjectType } from 'graphql';
import type { GraphContext } from './builder.ts';
import type { ListBelow } from './connections.ts';
import { isIncluded } from './execution/conditions.ts';
import { fieldsBelow, type Selecting } from './selection.ts';

/**
 * Begins to read lists of an object together with the object itself, where the arguments of a query name it: they need nothing
 * else of it, and go to the database with it instead of after it. What they come to is kept for the fields themselves; a
 * fault is theirs too.
 * @param object as far as its lists need it
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
  const included = fieldsBelow(info, (node) => isIncluded(node, info.variableValues));
  const byKey = Map.groupBy(included, ({ alias, name }: FieldNode) => (alias ?? name).value);
  for (const fieldNodes of byKey.values()) {
    const [node] = fieldNodes as [FieldNode];
    const field = lists.has(node.name.value) ? type.getFields()[node.name.value] : undefined;
    if (!field?.resolve) continue;
    try {
      const args = getArgumentValues(field, node, info.variableValues);
      const own = {
        ...{ schema: info.schema, fragments: info.fragments },
        fieldNodes,
      } as unknown as GraphQLResolveInfo;
      Promise.resolve(field.resolve(object, args, context, own)).catch(() => undefined);
    } catch {}
  }
}

/** How a list of each object of a page is asked for: by the arguments of its field, and what is selected below it. */
type AskBelow = (args: Record<string, unknown>, info: Selecting) => ListBelow;

/**
 * The lists of the objects of a page that a query asks for: they go to the database in the statement of the page. One whose
 * arguments are wrong, or that is asked for under two names, is left to its fields.
 * @param path of fields to the objects
 */
export function listsBelow(
  typeName: string,
  path: readonly string[],
  lists: Readonly<Record<string, AskBelow>>,
  { schema, fieldNodes: own, fragments, variableValues }: GraphQLResolveInfo,
): ListBelow[] {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return [];
  return fieldsAt(path, lists, { fieldNodes: own, fragments, variableValues }).flatMap(([name, node]) => {
    try {
      const args = getArgumentValues(type.getFields()[name]!, node, variableValues);
      return [lists[name]!(args, { fieldNodes: [node], fragments })];
    } catch {
      return [];
    }
  });
}

type Asked = readonly (readonly [name: string, node: FieldNode])[];

/** By the node of a field, whose selection no variable changes. */
const asked = new WeakMap<FieldNode, Asked>();

/** The fields at the end of a path that ask for one of the lists, and are the only ones that ask for it. */
function fieldsAt(
  path: readonly string[],
  lists: Readonly<Record<string, AskBelow>>,
  { fieldNodes, fragments, variableValues }: Selecting & Pick<GraphQLResolveInfo, 'variableValues'>,
): Asked {
  const [field] = fieldNodes as [FieldNode];
  const known = fieldNodes.length === 1 ? asked.get(field) : undefined;
  if (known) return known;
  let isConditioned = false;
  let nodes = fieldNodes;
  for (const name of [...path, undefined]) {
    const below = fieldsBelow({ fieldNodes: nodes, fragments }, (node) => {
      isConditioned ||= Boolean(node.directives?.length);
      return isIncluded(node, variableValues);
    });
    nodes = name === undefined ? below : below.filter((node) => node.name.value === name);
  }
  const found = Object.keys(lists).flatMap((name) => {
    const [node, another] = nodes.filter((node) => node.name.value === name);
    return node && !another ? [[name, node] as const] : [];
  });
  if (fieldNodes.length === 1 && !isConditioned) asked.set(field, found);
  return found;
}
