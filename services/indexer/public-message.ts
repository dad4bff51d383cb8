import { publicUrl } from '../../lib/outbound/public-url.ts';

const lengthMax = 1_000;
/** A header, parameter or setting by a name that secrets go by, and its value. */
const namedSecret =
  /\b([\w-]*(?:authorization|token|secret|password|passwd|api[-_]?key)["']?\s*[:=]\s*)(?:(?:bearer|basic)\s+)?("[^"]*"|'[^']*'|[^\s,;]+)/gi;
const credentials = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;
const url = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"<>]+/gi;

/**
 * A failure's message as it may be shown to anyone: it may quote what a node or a driver said, and these quote
 * urls and headers.
 * @param secrets the host's own, masked wherever they stand
 */
export function publicMessage(message: string, secrets: readonly (string | undefined)[]): string {
  let text = message;
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '[masked]');
  return text
    .replace(url, (found) => publicUrl(found))
    .replace(namedSecret, '$1[masked]')
    .replace(credentials, '$1 [masked]')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, lengthMax);
}
