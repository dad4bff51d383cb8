import { createHash } from 'node:crypto';
import { z } from 'zod';
import { cursorText, decodeCursor, encodeCursor } from '../cursor.ts';

export const catalogSorts = ['usage', 'rating', 'updated', 'name'] as const;
type CatalogSort = (typeof catalogSorts)[number];

/** One question to the catalog. Absent filters do not filter. */
export interface CatalogQuery {
  network: string;
  /** Words that must all occur in name, summary, integrator or service type. */
  q?: string | undefined;
  category?: string | undefined;
  /** A coin type in any spelling; matches adaptors that name it or take any coin. */
  coin?: string[] | undefined;
  publisher?: string | undefined;
  integrator?: string | undefined;
  /** What the name looks like: see `nameSkeleton`. */
  alike?: string | undefined;
  /** Also listings that are not shown by default: see `eligible`. */
  includeUnverified?: boolean | undefined;
  /** Absent: the best match first where `q` is given, else the most used. */
  sort?: CatalogSort | undefined;
  /** Absent, or above what a page holds: what a page holds. */
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Sort key and id of the entry a page ended with. Numbers are text, exact as PostgreSQL wrote them. */
interface CatalogPosition {
  major: string;
  minor: string;
  text: string;
  serviceType: string;
  publisher: string;
}

const decimal = z.string().regex(/^-?\d{1,40}(\.\d{1,40})?$/);
const cursorShape = z.tuple([z.string(), decimal, decimal, cursorText, cursorText, cursorText]);

/** A cursor holds for the query it was given for: elsewhere its position would skip or repeat entries. */
function fingerprintOf(query: CatalogQuery): string {
  const { limit: _limit, cursor: _cursor, ...asked } = query;
  const canonical = JSON.stringify(
    Object.entries(asked)
      .filter(([, value]) => value !== undefined && value !== false)
      .sort(),
  );
  return createHash('sha256').update(canonical).digest('base64url').slice(0, 8);
}

export function positionToCursor(query: CatalogQuery, at: CatalogPosition): string {
  return encodeCursor([fingerprintOf(query), at.major, at.minor, at.text, at.serviceType, at.publisher]);
}

/** @throws BadCursorError */
export function cursorToPosition(query: CatalogQuery): CatalogPosition | undefined {
  if (query.cursor === undefined) return undefined;
  const shape = cursorShape.refine(([fingerprint]) => fingerprint === fingerprintOf(query));
  const [, major, minor, text, serviceType, publisher] = decodeCursor(query.cursor, shape);
  return { major, minor, text, serviceType, publisher };
}
