import type { FieldNode, GraphQLResolveInfo, SelectionNode } from 'graphql';

export type Selecting = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/**
 * Lists the names of the fields that a query selects at the end of a path below a field. The field's statement reads
 * what they need. Directives and types are ignored, so the set can have more fields than the response.
 */
export function listSelectedFields(
  { fieldNodes, fragments }: Selecting,
  path: readonly string[],
): ReadonlySet<string> {
  const [field] = fieldNodes as [FieldNode];
  // If a field has several nodes, none of them has the whole selection.
  const isOnly = fieldNodes.length === 1;
  const byPath = (isOnly && selections.get(field)) || new Map<string, ReadonlySet<string>>();
  const key = path.join('.');
  const known = byPath.get(key);
  if (known) return known;
  let nodes: readonly FieldNode[] = fieldNodes;
  for (const name of path)
    nodes = listFieldsBelow({ fieldNodes: nodes, fragments }).filter((node) => node.name.value === name);
  const selected = new Set(listFieldsBelow({ fieldNodes: nodes, fragments }).map(({ name }) => name.value));
  if (isOnly) selections.set(field, byPath.set(key, selected));
  return selected;
}

/** Cached results by field node, then by path. All executions of a document share its nodes. */
const selections = new WeakMap<FieldNode, Map<string, ReadonlySet<string>>>();

/** Lists the fields that a query selects below a field, through fragments on any type. */
export function listFieldsBelow(
  { fieldNodes, fragments }: Selecting,
  isIncluded: (node: SelectionNode) => boolean = () => true,
): FieldNode[] {
  const fields: FieldNode[] = [];
  const spread = new Set<string>();
  const visit = (selection: SelectionNode): void => {
    if (!isIncluded(selection)) return;
    if (selection.kind === 'Field') fields.push(selection);
    else if (selection.kind === 'InlineFragment') selection.selectionSet.selections.forEach(visit);
    else if (!spread.has(selection.name.value)) {
      spread.add(selection.name.value);
      fragments[selection.name.value]?.selectionSet.selections.forEach(visit);
    }
  };
  for (const parent of fieldNodes) parent.selectionSet?.selections.forEach(visit);
  return fields;
}
