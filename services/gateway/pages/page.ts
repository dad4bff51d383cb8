import { createHash } from 'node:crypto';
import { cached, digestOf } from '../../../lib/http/exchange.ts';
import type { Route } from '../../../lib/http/route.ts';

export interface Page {
  html: string;
  /** Content security policy directives beyond `default-src 'none'`. */
  policy: readonly string[];
}

/** Value of a policy's source list that lets exactly this inline script or style run. */
export function inlineHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const basePolicy = [
  "default-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
] as const;

/** Sends a page of ours under its own policy. Made and encoded at the first request, then cached. */
export function page<Dependencies = void>(load: (dependencies: Dependencies) => Page | Promise<Page>) {
  return cached(async (dependencies: Dependencies) => {
    const { html, policy } = await load(dependencies);
    const body = Buffer.from(html);
    return {
      body,
      contentType: 'text/html; charset=utf-8',
      cacheControl: 'public, max-age=60',
      tag: digestOf(body),
      // Programs get something else at some of the same addresses.
      vary: 'accept, accept-encoding',
      headers: ['content-security-policy', [...basePolicy, ...policy].join('; ')],
    };
  });
}

/** A route that sends a page. */
export function pageRoute<Dependencies = unknown>(
  path: string,
  load: (dependencies: Dependencies) => Page | Promise<Page>,
): Route<Dependencies> {
  const send = page(load);
  return {
    ...{ method: 'get', path, mediaType: 'text/html', unlimited: true },
    answer: (exchange, _parameters, dependencies) => send(exchange, dependencies),
  };
}

/** A route that sends a file that a page loads. */
export function fileRoute(
  path: string,
  contentType: string,
  maxAgeSeconds: number,
  load: () => Buffer | Promise<Buffer>,
): Route<unknown> {
  const send = cached(async () => {
    const body = await load();
    return { body, contentType, cacheControl: `public, max-age=${maxAgeSeconds}`, tag: digestOf(body) };
  });
  const [mediaType = contentType] = contentType.split(';');
  return { method: 'get', path, mediaType, unlimited: true, answer: (exchange) => send(exchange) };
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escaped = (plain: string): string => plain.replace(/[&<>"]/g, (char) => entities[char]!);

/** A text as HTML, with `code` marked. */
export const text = (plain: string): string => escaped(plain).replace(/`([^`]+)`/g, '<code>$1</code>');
