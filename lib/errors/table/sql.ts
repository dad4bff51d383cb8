import type { ProblemEntry } from './entry.ts';

export const sqlProblems = {
  sql_invalid: {
    status: 400,
    title: 'Invalid SQL',
    meaning: 'The text is not one SQL statement: PostgreSQL cannot parse it.',
    whatToDo: 'Correct the statement at the character that `position` in `errors` names.',
  },
  sql_refused: {
    status: 422,
    title: 'SQL refused',
    meaning:
      'The statement has something that is not on the allow list: a statement other than `select`, a relation outside the views of `analytics`, or a function, type or operator that is not offered.',
    whatToDo:
      'Change the part at the character that `position` in `errors` names. docs/analytics.md has the allow list.',
  },
  sql_failed: {
    status: 422,
    title: 'SQL failed',
    meaning:
      'PostgreSQL refused the statement or failed while it ran it, for a reason in the statement: an unknown column, wrong types, a division by zero.',
    whatToDo: 'Correct the statement. `detail` has the words of PostgreSQL, and its hint where there is one.',
  },
  sql_too_large: {
    status: 422,
    title: 'SQL result too large',
    meaning:
      'The result has more rows or bytes than a response may have, or the statement needs more memory or temporary files than it may use.',
    whatToDo: 'Select fewer columns, filter by time, use `limit`, or repeat less in a regular expression.',
  },
  sql_busy: {
    status: [429, 503],
    title: 'SQL busy',
    meaning:
      'The API key has the maximum number of statements that run or wait (429), or the whole service has it, or the statement collided with a change of the database (503). A statement that was aborted counts until PostgreSQL has ended it.',
    whatToDo: 'Wait for your other statements, and try again after the seconds in `retry-after`.',
    retryAfterSeconds: 2,
  },
  sql_not_configured: {
    status: 503,
    title: 'SQL not configured',
    meaning:
      'The service does not offer SQL over HTTP, or its database role for it is not set up as it must be.',
    whatToDo: 'The operator sets `SQL_DATABASE_URL`; docs/operations.md has the steps.',
  },
} as const satisfies Record<string, ProblemEntry>;
