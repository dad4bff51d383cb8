/** Describes whatever a wallet or a client threw. A wallet may reject with anything, or with nothing. */
export function describeError(error: unknown): string {
  if (error instanceof Error) {
    const cause = error.cause === undefined ? '' : ` ${describeError(error.cause)}`;
    return `${error.name}: ${error.message}${cause}`;
  }
  if (typeof error === 'string') return error;
  if (error === undefined || error === null) return 'It gave no reason.';
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    // A bigint, or a value that contains itself.
    return String(error);
  }
}
