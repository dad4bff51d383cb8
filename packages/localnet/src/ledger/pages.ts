import { z } from 'zod';
import { LedgerError, type Page } from './types.ts';

const Envelope = z.tuple([z.string(), z.unknown()]);

/**
 * Positions in listings, as opaque text. Each names its listing, so that one of another listing or owner is
 * refused instead of read as something else.
 */
export function encodePosition(listing: string, position: unknown): string {
  return Buffer.from(JSON.stringify([listing, position])).toString('base64url');
}

/** @throws LedgerError INVALID_ARGUMENT when the text is not a position in this listing. */
export function decodePosition<Position>(
  listing: string,
  schema: z.ZodType<Position>,
  after: string | undefined,
): Position | undefined {
  if (after === undefined) return undefined;
  try {
    const [name, position] = Envelope.parse(JSON.parse(Buffer.from(after, 'base64url').toString('utf8')));
    if (name === listing) return schema.parse(position);
  } catch {
    // Not JSON, or of another shape: the same refusal as a position of another listing.
  }
  throw new LedgerError(
    'INVALID_ARGUMENT',
    'InvalidPageToken',
    'The page token does not belong to this request',
  );
}

/** One page of the `limit + 1` rows that were read, with the position of its last item where more follow. */
export function pageOf<Item>(rows: Item[], limit: number, position: (last: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? position(last) : undefined };
}
