import { messageOf } from '@adaptor-marketplace/adaptor';

export type OutboundErrorKind =
  | 'forbidden_address'
  | 'forbidden_url'
  | 'redirect'
  | 'too_large'
  | 'encoded_body'
  | 'timeout'
  | 'http_status'
  | 'network';

/** Why an exchange with another host failed, in words that may be shown to strangers. */
export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;
  /** Whether the same request may succeed later, with nothing changed by its publisher. */
  readonly retryable: boolean;

  constructor(kind: OutboundErrorKind, message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'OutboundError';
    this.kind = kind;
    this.retryable = options.retryable;
  }
}

/** Wraps what the HTTP client or the network threw; the message is cut and made printable, as it may quote the peer. */
export function networkError(cause: unknown): OutboundError {
  const code = cause instanceof Error && 'code' in cause ? `${cause.code}: ` : '';
  const message = `${code}${messageOf(cause)}`.replace(/[^ -~]/g, '?').slice(0, 200);
  return new OutboundError(
    'network',
    `The host could not be reached or closed the connection (${message}).`,
    {
      retryable: true,
      cause,
    },
  );
}

/**
 * As much of a url as anyone may see: scheme, host and port, since keys stand in user parts, paths and queries alike.
 * What was left out shows as `/…`; what is not a url, as `[url]`.
 */
export function publicUrl(text: string): string {
  const parsed = URL.parse(text);
  if (!parsed) return '[url]';
  const rest =
    parsed.pathname.length > 1 || parsed.search || parsed.hash || parsed.username || parsed.password;
  return `${parsed.protocol}//${parsed.host}${rest ? '/…' : ''}`;
}

const lengthMax = 1_000;
/** A header, parameter or setting by a name that secrets go by, and its value. */
const namedSecret =
  /\b([\w-]*(?:authorization|token|secret|password|passwd|api[-_]?key)["']?\s*[:=]\s*)(?:(?:bearer|basic)\s+)?("[^"]*"|'[^']*'|[^\s,;]+)/gi;
const credentials = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;
const anyUrl = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"<>]+/gi;

/**
 * A failure's message as it may be shown to anyone: it may quote what a node or a driver said, and these quote
 * urls and headers.
 * @param secrets the host's own, masked wherever they stand
 */
export function publicMessage(message: string, secrets: readonly (string | undefined)[]): string {
  let text = message;
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '[masked]');
  return text
    .replace(anyUrl, (found) => publicUrl(found))
    .replace(namedSecret, '$1[masked]')
    .replace(credentials, '$1 [masked]')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, lengthMax);
}
