/** The message of anything thrown, for a log line or a row; never a stack. */
export function messageOf(error: unknown): string {
  // Node gives one for a name with several addresses, none of which takes the connection; it has no text.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ');
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}
