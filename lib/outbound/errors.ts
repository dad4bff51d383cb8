import { getErrorMessage } from '@adaptor-marketplace/adaptor';

export type OutboundErrorKind =
  | 'forbidden_address'
  | 'forbidden_url'
  | 'redirect'
  | 'too_large'
  | 'encoded_body'
  | 'timeout'
  | 'http_status'
  | 'network';

/** Error of a request to another host. Anyone may see its message. */
export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;
  /** `true` if the same request may succeed later without a change of its url or of what it serves. */
  readonly retryable: boolean;

  constructor(kind: OutboundErrorKind, message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'OutboundError';
    this.kind = kind;
    this.retryable = options.retryable;
  }
}

/** Wraps an error of the HTTP client or the network. Its message may quote the peer, so it is cut and made printable. */
export function wrapNetworkError(cause: unknown): OutboundError {
  const code = cause instanceof Error && 'code' in cause ? `${cause.code}: ` : '';
  const message = `${code}${getErrorMessage(cause)}`.replace(/[^ -~]/g, '?').slice(0, 200);
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
 * Returns the public part of a url: scheme, host and port. User parts, paths and queries can contain keys. A part that
 * is left out shows as `/…`, and a text that is not a url as `[url]`.
 */
export function publicUrl(text: string): string {
  const parsed = URL.parse(text);
  if (!parsed) return '[url]';
  const rest =
    parsed.pathname.length > 1 || parsed.search || parsed.hash || parsed.username || parsed.password;
  return `${parsed.protocol}//${parsed.host}${rest ? '/…' : ''}`;
}

/** Characters of a message. */
const lengthMax = 1_000;
// A peer chooses the text, so each pattern takes time in proportion to its length: a repetition before a fixed part is
// bounded, or left out.
/** A header, parameter or setting whose name ends like that of a secret, with its value. */
const namedSecret =
  /((?:authorization|token|secret|password|passwd|api[-_]?key)["']?\s*[:=]\s*)(?:(?:bearer|basic)\s+)?("[^"]*"|'[^']*'|[^\s,;]+)/gi;
const credentials = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;
const anyUrl = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"<>]+/gi;

/**
 * Returns an error message that anyone may see: the original may quote a node or a driver, with urls and headers.
 * `secrets` are masked wherever they occur.
 */
export function redactMessage(message: string, secrets: readonly (string | undefined)[]): string {
  let text = message;
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '[masked]');
  return text
    .replace(anyUrl, (found) => publicUrl(found))
    .replace(namedSecret, '$1[masked]')
    .replace(credentials, '$1 [masked]')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, lengthMax);
}
