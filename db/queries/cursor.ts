import { z } from 'zod';
import { ProblemError } from '../../lib/errors/index.ts';

/** A cursor that this service did not give out, or gave out for another question. */
export class BadCursorError extends ProblemError {
  constructor() {
    const detail = 'The cursor is not one that this query gave out; start again without it.';
    const errors = [{ path: 'query.cursor', message: detail }];
    super({ status: 400, code: 'bad_cursor', title: 'Bad cursor', detail, errors });
    this.name = 'BadCursorError';
  }
}

const cursorLengthMax = 2048;

/** Packs sort key and id so that callers see one opaque word. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws BadCursorError */
export function decodeCursor<T>(cursor: string, shape: z.ZodType<T>): T {
  if (cursor.length > cursorLengthMax || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw new BadCursorError();
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw new BadCursorError();
  }
}

/** Text that PostgreSQL can store and compare. */
export const cursorText = z.string().refine((text) => !text.includes('\0') && text.isWellFormed());

/** Place of an event in its chain: checkpoint, index of the transaction in it, index of the event in that. */
export const positionShape = z.tuple([
  z.int().min(0),
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
]);
