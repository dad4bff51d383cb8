import { refuse } from './refusal.ts';
import { type Context, type Item, keyTerm, type Level } from './scope.ts';

export const unkeyed =
  'complex joins are only supported when all distributed tables are co-located and joined on their distribution columns';

const mixed = 'direct joins between distributed and local tables are not supported';

const isDistributed = ({ kind }: Item): boolean => kind === 'distributed';

/**
 * Makes intermediate results of what cannot be joined beside the shards, in the order of
 * `RecursivelyPlanSubqueriesAndCTEs`: subqueries on other columns than the distribution column, tables of the coordinator,
 * inner sides of outer joins.
 * @param parts subqueries of the expressions
 * @throws Refusal for joins that stay
 */
export function separate(level: Level, parts: readonly Item[], context: Context): void {
  if (level.target?.kind === 'local') {
    replace(level.items, context, 'which the changed table of the coordinator is joined with');
    return;
  }
  if (!level.items.some(isDistributed)) return;
  const hasLocal = level.items.some(({ kind, table }) => kind === 'local' && table !== undefined);
  const anchor = findAnchor(level)!;
  for (const item of level.items.filter(isDistributed)) {
    // Beside a table of the coordinator, Citus does not take subqueries apart.
    if (hasLocal || item.table !== undefined || item.outer.size > 0 || isJoined(level, item, anchor))
      continue;
    replace([item], context, 'which is not joined on the distribution column');
  }
  separateLocal([...level.items, ...parts], context);
  for (const { type, left, right } of level.joins) {
    if (type !== 'JOIN_LEFT' && !left.some(isDistributed)) {
      if (type === 'JOIN_FULL') replace(right, context, 'a side of a full join');
    } else if (type === 'JOIN_LEFT' && !left.some(isDistributed)) {
      replace(right, context, 'the inner side of an outer join');
    }
    if ((type === 'JOIN_RIGHT' || type === 'JOIN_FULL') && !right.some(isDistributed)) {
      replace(left, context, 'the inner side of an outer join');
    }
  }
  checkJoins(level);
}

const findAnchor = ({ items }: Level): Item | undefined =>
  items.find((item) => isDistributed(item) && item.table !== undefined) ?? items.find(isDistributed);

const isJoined = (level: Level, item: Item, anchor: Item): boolean =>
  item === anchor || (item.group === anchor.group && level.equal.areEqual(keyTerm(item), keyTerm(anchor)));

function replace(items: readonly Item[], context: Context, reason: string): void {
  for (const item of items.filter(isDistributed)) {
    if (item.outer.size > 0) {
      refuse('cannot perform a lateral outer join when a distributed subquery references a CTE or subquery');
    }
    item.kind = 'recurring';
    item.keys = [];
    context.pulled.add(`\`${item.alias}\`, ${reason}, is a subplan`);
  }
}

function separateLocal(items: readonly Item[], context: Context): void {
  for (const item of items.filter(({ kind }) => kind === 'local')) {
    if (item.outer.size > 0) refuse(mixed);
    item.kind = 'recurring';
    context.pulled.add(
      `${item.table === undefined ? 'a subquery' : `\`${item.table}\``} of the coordinator is sent to the workers`,
    );
  }
}

function checkJoins(level: Level): void {
  const anchor = findAnchor(level);
  for (const item of level.items.filter(isDistributed)) {
    if (isJoined(level, item, anchor!)) continue;
    refuse(
      item.table === undefined || level.items.some(({ table }) => table === undefined)
        ? unkeyed
        : `the query contains a join that requires repartitioning: \`${anchor!.alias}\` and \`${item.alias}\``,
    );
  }
}
