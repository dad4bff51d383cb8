/** Returns the message of any thrown value, for a log line or a row. It never contains a stack. */
export function getErrorMessage(error: unknown): string {
  // Node throws an error without text for a host name with several addresses that all fail.
  if (error instanceof AggregateError && !error.message) return error.errors.map(getErrorMessage).join('; ');
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}
