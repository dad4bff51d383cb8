import { type Fields, isFields, list, type Node, parseNode } from '../../../services/gateway/sql/tree.ts';

/** Calls `visit` with each node below a value, the outer first. It does not descend where `visit` returns false. */
export function walk(value: unknown, visit: (node: Node) => boolean): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit);
    return;
  }
  if (!isFields(value)) return;
  const node = parseNode(value);
  // Node kinds begin with a capital, field names do not.
  if (node && /^[A-Z]/.test(node.kind)) {
    if (visit(node)) walk(Object.values(node.fields), visit);
  } else {
    walk(Object.values(value), visit);
  }
}

/** Returns the fields of all nodes of a kind, in subqueries too. */
export function findNodes(value: unknown, kind: string): Fields[] {
  const found: Fields[] = [];
  walk(value, (node) => {
    if (node.kind === kind) found.push(node.fields);
    return true;
  });
  return found;
}

/** Returns the fields of all nodes of a kind that belong to the query itself and not to its subqueries. */
export function findOwn(value: unknown, kind: string): Fields[] {
  const found: Fields[] = [];
  walk(value, (node) => {
    if (node.kind === kind) found.push(node.fields);
    return node.kind !== 'SelectStmt';
  });
  return found;
}

/** Names of a column reference, with `*` for a star. */
export const readNames = (reference: Fields): string[] =>
  list(reference.fields).map((part) => {
    const node = parseNode(part);
    return node?.kind === 'A_Star' ? '*' : String(node?.fields.sval);
  });

/** Last name of a called function: the schema does not matter. */
export const readFunction = (call: Fields): string =>
  String(parseNode(list(call.funcname).at(-1))?.fields.sval);

/** Conditions that all hold: the arguments of nested `and`. */
export function splitConjuncts(value: unknown): Node[] {
  const node = parseNode(value);
  if (!node) return [];
  if (node.kind === 'BoolExpr' && node.fields.boolop === 'AND_EXPR') {
    return list(node.fields.args).flatMap(splitConjuncts);
  }
  return [node];
}
