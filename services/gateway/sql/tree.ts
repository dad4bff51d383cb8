/** The parse tree as `libpg-query` gives it: a node is an object whose only key is its kind. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Node {
  kind: string;
  fields: Fields;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the kind and the fields of a node. Undefined for a null in a list, such as that of `distinct`. */
export function parseNode(value: unknown): Node | undefined {
  if (!isFields(value)) return undefined;
  const [entry, ...more] = Object.entries(value);
  if (!entry || more.length > 0 || !isFields(entry[1])) return undefined;
  return { kind: entry[0], fields: entry[1] };
}

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the names in a list of nodes, with `*` for a star. Returns undefined if the list contains anything else. */
export function parseNames(value: unknown): string[] | undefined {
  const names = list(value).map((item) => {
    const node = parseNode(item);
    if (node?.kind === 'A_Star') return '*';
    return node?.kind === 'String' ? String(node.fields.sval ?? '') : undefined;
  });
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** Returns the name of a built-in of PostgreSQL: it has no schema, or the schema `pg_catalog`. */
export function findBuiltinName(names: readonly string[] | undefined): string | undefined {
  if (names?.length === 1) return names[0];
  return names?.length === 2 && names[0] === 'pg_catalog' ? names[1] : undefined;
}

export function isConstant(value: unknown): boolean {
  const node = parseNode(value);
  if (node?.kind === 'TypeCast') return isConstant(node.fields.arg);
  return node?.kind === 'A_Const';
}
