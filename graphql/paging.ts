import type { Page } from '../db/queries/page.ts';
import { builder } from './builder.ts';
import { invalidArgument } from './filter.ts';

export const firstDefault = 20;
export const firstMax = 100;

/** Forward paging: a catalog and a history have one sensible direction, given by their sort. */
export const pagingArgs = builder.args((t) => ({
  first: t.int({ defaultValue: firstDefault, description: `Items per page, 1 to ${firstMax}.` }),
  after: t.string({ description: 'Cursor of the item before the page.' }),
}));

/** @throws ProblemError 400 when `first` is out of bounds */
export function readPaging(args: { first?: number | null; after?: string | null }) {
  const first = args.first ?? firstDefault;
  if (first >= 1 && first <= firstMax) return { first, after: args.after ?? undefined };
  throw invalidArgument([{ path: 'first', message: `must be 1 to ${firstMax}` }]);
}

/** A page in Relay's form. */
export function toConnection<Item>(page: Page<Item>, after: string | undefined) {
  const { items, cursors, hasMore } = page;
  return {
    edges: items.map((node, at) => ({ node, cursor: cursors[at]! })),
    pageInfo: {
      hasNextPage: hasMore,
      hasPreviousPage: after !== undefined,
      startCursor: cursors[0] ?? null,
      endCursor: cursors.at(-1) ?? null,
    },
  };
}
