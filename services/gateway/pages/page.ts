import { readFile } from 'node:fs/promises';
import { cached, computeDigest } from '../../../lib/http/exchange.ts';
import type { Route } from '../../../lib/http/route.ts';

/** Creates a route that serves a file. @param alternative media type that callers may accept in place of the file's own */
export function createFileRoute<Dependencies = unknown>(
  path: string,
  contentType: string,
  maxAgeSeconds: number,
  load: (dependencies: Dependencies) => Buffer | Promise<Buffer>,
  alternative?: string,
): Route<Dependencies> {
  const send = cached(async (dependencies: Dependencies) => {
    const body = await load(dependencies);
    return { body, contentType, cacheControl: `public, max-age=${maxAgeSeconds}`, tag: computeDigest(body) };
  });
  const [mediaType = contentType] = contentType.split(';');
  const types = { mediaType, ...(alternative && { alternative }) };
  return {
    method: 'get',
    path,
    ...types,
    unlimited: true,
    answer: (exchange, _parameters, dependencies) => send(exchange, dependencies),
  };
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (plain: string): string => plain.replace(/[&<>"]/g, (char) => entities[char]!);

/** Renders a text as HTML, with `code` marked. */
export const renderText = (plain: string): string =>
  escapeHtml(plain).replace(/`([^`]+)`/g, '<code>$1</code>');

const daySeconds = 86_400;

const readIcon = (name: string) => readFile(new URL(`../../../web/assets/${name}`, import.meta.url));

/** The icon: two plugs that meet, an adaptor. Browsers ask for the second form by themselves. */
export const iconRoutes = [
  createFileRoute('/favicon.svg', 'image/svg+xml', daySeconds, () => readIcon('favicon.svg')),
  createFileRoute('/favicon.ico', 'image/x-icon', daySeconds, () => readIcon('favicon.ico')),
];
