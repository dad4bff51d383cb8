import type { Request } from 'express';

/** The query of a request's url, undecoded, without its question mark. */
export function searchOf({ url }: Request): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
