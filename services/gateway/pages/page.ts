import { createHash } from 'node:crypto';
import { kept } from '../respond/kept.ts';
import { digestOf } from '../respond/representation.ts';

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

/** Serves a page of ours under its own policy. */
export function page(load: () => Page | Promise<Page>) {
  return kept(async () => {
    const { html, policy } = await load();
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
