import { costlyFunctions, costlyOperators } from './allow-list.ts';
import { type Fields, findBuiltinName, isFields, list, parseNames } from './tree.ts';

/**
 * Size of an expression after PostgreSQL has inlined subqueries into the query around them: every use of a column
 * becomes the expression that the subquery computes for it. A few short nested subqueries can become millions of nodes.
 */
interface ExpressionSize {
  nodes: number;
  /** Highest number of values that are concatenated into its result. */
  parts: number;
  /** Multiplications, divisions, powers and the like: see `productsMax`. */
  products: number;
}

/** Resources that a statement needs beside its tables. */
interface Growth extends ExpressionSize {
  /** Sorts, hashes and buffers that may be in memory together. */
  buffers: number;
}

/** Queries and columns that a part of a statement can refer to. */
interface Scope {
  queries: ReadonlyMap<string, ExpressionSize>;
  /** The largest of the columns that it can name. */
  column: ExpressionSize;
}

interface Result {
  whole: ExpressionSize;
  /** The largest of its columns. */
  column: ExpressionSize;
}

const stored: ExpressionSize = { nodes: 1, parts: 1, products: 0 };
const nothing: ExpressionSize = { nodes: 0, parts: 1, products: 0 };
const addSizes = (a: ExpressionSize, b: ExpressionSize): ExpressionSize => ({
  nodes: a.nodes + b.nodes,
  parts: Math.max(a.parts, b.parts),
  products: a.products + b.products,
});
const takeLarger = (a: ExpressionSize, b: ExpressionSize): ExpressionSize => ({
  nodes: Math.max(a.nodes, b.nodes),
  parts: Math.max(a.parts, b.parts),
  products: Math.max(a.products, b.products),
});

function isCostly(key: string, { name, funcname }: Fields): boolean {
  if (key === 'A_Expr') return costlyOperators.has(findBuiltinName(parseNames(name)) ?? '');
  return key === 'FuncCall' && costlyFunctions.has(findBuiltinName(parseNames(funcname)) ?? '');
}

export function estimateGrowth(statement: Fields): Growth {
  let buffers = 1;
  let distinctAggregates = 0;
  let groupings = 1;

  /** Sums the sizes of parts with few stack frames for each level: a statement may nest as deep as it has tokens. */
  function sumSizes(value: unknown, scope: Scope): ExpressionSize {
    let size = nothing;
    if (Array.isArray(value)) {
      for (const item of value) size = addSizes(size, sumSizes(item, scope));
    } else if (isFields(value)) {
      for (const key in value) size = addSizes(size, estimatePart(key, value[key], scope));
    }
    return size;
  }

  function estimatePart(key: string, inner: unknown, scope: Scope): ExpressionSize {
    if (!isFields(inner) || key === 'String') return sumSizes(inner, scope);
    if (key === 'ColumnRef') return scope.column;
    if (key === 'SelectStmt') return estimateQuery(inner, scope).whole;
    countBuffers(key, inner);
    if (key === 'A_Expr' && findBuiltinName(parseNames(inner.name)) === '||') {
      const [left, right] = [sumSizes(inner.lexpr, scope), sumSizes(inner.rexpr, scope)];
      return {
        ...addSizes(left, right),
        nodes: 1 + left.nodes + right.nodes,
        parts: left.parts + right.parts,
      };
    }
    const own = { nodes: /^[A-Z]/.test(key) ? 1 : 0, parts: 1, products: isCostly(key, inner) ? 1 : 0 };
    return addSizes(own, sumSizes(inner, scope));
  }

  function countBuffers(key: string, inner: Fields): void {
    if (key === 'SubLink') buffers += 1;
    if (key === 'GroupingSet') groupings += list(inner.content).length;
    if (key !== 'FuncCall') return;
    // A window needs one buffer for its sort and one for the rows of its frame.
    if (inner.over) buffers += 2;
    if (inner.agg_distinct || inner.agg_order) distinctAggregates += 1;
  }

  function estimateQuery(query: Fields, outer: Scope): Result {
    const { withClause, fromClause, targetList, valuesLists, larg, rarg, ...rest } = query;
    const queries = new Map(outer.queries);
    let whole = nothing;
    for (const item of list(isFields(withClause) ? withClause.ctes : undefined)) {
      const { ctename, ctequery } = getPart(item, 'CommonTableExpr');
      const result = estimateQuery(getPart(ctequery, 'SelectStmt'), { queries, column: outer.column });
      queries.set(String(ctename), result.column);
      whole = addSizes(whole, result.whole);
      buffers += 1;
    }
    for (const key of ['sortClause', 'distinctClause', 'groupClause']) if (query[key]) buffers += 1;

    let column = outer.column;
    for (const item of list(fromClause)) {
      const from = estimateFrom(item, { queries, column });
      whole = addSizes(whole, from.whole);
      column = takeLarger(column, from.column);
    }
    const scope = { queries, column };
    whole = addSizes(whole, sumSizes(rest, scope));
    const values = [...list(targetList), ...list(valuesLists)].map((value) => sumSizes(value, scope));
    whole = values.reduce(addSizes, whole);
    let own = values.reduce(takeLarger, stored);
    // A condition on a union becomes one on each of its queries.
    const unions = [larg, rarg].filter(isFields).map((side) => estimateQuery(side, scope));
    if (unions.length > 0) buffers += 1;
    for (const side of unions) whole = addSizes(whole, side.whole);
    if (unions.length > 0) own = unions.map((side) => side.column).reduce(addSizes, nothing);
    return { whole, column: own };
  }

  /** Sizes an item of a `from` clause. A later item may refer to those before it. */
  function estimateFrom(item: unknown, scope: Scope): Result {
    if (!isFields(item)) return { whole: nothing, column: stored };
    const { RangeVar: named, RangeSubselect: subselect, JoinExpr: join } = item;
    if (isFields(named)) {
      buffers += 1;
      const query = named.schemaname === undefined ? scope.queries.get(String(named.relname)) : undefined;
      return { whole: stored, column: query ?? stored };
    }
    if (isFields(subselect)) {
      buffers += 1;
      return estimateQuery(getPart(subselect.subquery, 'SelectStmt'), scope);
    }
    if (isFields(join)) {
      const left = estimateFrom(join.larg, scope);
      const right = estimateFrom(join.rarg, { ...scope, column: takeLarger(scope.column, left.column) });
      const column = takeLarger(left.column, right.column);
      const condition = sumSizes(join.quals, { ...scope, column: takeLarger(scope.column, column) });
      return { whole: addSizes(addSizes(left.whole, right.whole), condition), column };
    }
    const called = sumSizes(item, scope);
    return { whole: called, column: { ...stored, parts: called.parts } };
  }

  const { whole } = estimateQuery(statement, { queries: new Map(), column: stored });
  return { ...whole, buffers: buffers + distinctAggregates * groupings };
}

function getPart(value: unknown, kind: string): Fields {
  const part = isFields(value) ? value[kind] : undefined;
  return isFields(part) ? part : {};
}
