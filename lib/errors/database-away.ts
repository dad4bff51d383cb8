/** SQLSTATE classes and socket errors that mean: not now. */
const awayCode =
  /^(08|53|57P0)|^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;

/** What `pg` says without a code. */
const awayMessage = /^(timeout exceeded when trying to connect|Connection terminated|timeout expired)/;

/** Whether a failed statement or connection means that the database is unreachable; also as a cause. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return awayCode.test(code) || awayMessage.test(error.message) || isDatabaseAway(error.cause);
}
