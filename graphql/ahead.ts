import { type FieldNode, type GraphQLResolveInfo, getArgumentValues, isObjectType } from 'graphql';
import type { GraphContext } from './builder.ts';
import { isIncluded } from './execution/conditions.ts';
import { fieldsBelow } from './selection.ts';

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

/** Reads a list for all items of a page above it, before they are known. */
type ReadBelow<Above> = (
  context: GraphContext,
  page: Above,
  args: Record<string, unknown>,
  info: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
) => Promise<void>;

/**
 * Reads lists of the objects of a page together with the page. What fails here, or is asked for under two names, is left to the
 * fields themselves.
 * @param path of fields to the objects
 */
export async function readBelow<Above>(
  typeName: string,
  path: readonly string[],
  lists: Readonly<Record<string, ReadBelow<Above>>>,
  page: Above,
  context: GraphContext,
  { schema, fieldNodes: own, fragments, variableValues }: GraphQLResolveInfo,
): Promise<void> {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return;
  let nodes = own;
  for (const name of [...path, undefined]) {
    const below = fieldsBelow({ fieldNodes: nodes, fragments }, (node) => isIncluded(node, variableValues));
    nodes = name === undefined ? below : below.filter((node) => node.name.value === name);
  }
  const reads = Object.entries(lists).flatMap(([name, read]) => {
    const fieldNodes = nodes.filter((node) => node.name.value === name);
    const [node] = fieldNodes;
    if (!node || fieldNodes.length > 1) return [];
    const ofField = async () =>
      read(context, page, getArgumentValues(type.getFields()[name]!, node, variableValues), {
        ...{ fieldNodes, fragments },
      });
    return [ofField().catch(() => undefined)];
  });
  await Promise.all(reads);
}
