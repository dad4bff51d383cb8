/** The stored state of a network cannot be used: another process has it, or it is damaged. Trying again cannot help. */
export class StateError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StateError';
    this.code = code;
  }
}

/** The message of anything thrown, for a log line; never a stack. */
export function messageOf(error: unknown): string {
  // Node gives one for a name with several addresses, none of which takes the connection; it has no text.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}
