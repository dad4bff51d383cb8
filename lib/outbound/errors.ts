import { messageOf } from '@adaptor-marketplace/adaptor/error-message';

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
  return new OutboundError('network', `The host could not be reached or broke off (${message}).`, {
    retryable: true,
    cause,
  });
}
