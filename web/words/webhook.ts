/** Texts about webhooks, for pages on the server and in the browser. */

/** Example code that verifies a delivery with the library of Standard Webhooks. */
export const verifySnippet = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

// The raw body and the headers of the request. A wrong signature, or an old one, throws.
const event = webhook.verify(body, headers);`;

const outcomes = new Map([
  ['delivered', 'Delivered'],
  ['redirect', 'Redirect, which is not followed'],
  ['timeout', 'No answer within 15 s'],
  ['network', 'No connection'],
  ['forbidden_address', 'The url leads to an address that is not public'],
  ['forbidden_url', 'The url is not allowed'],
  ['too_large', 'The answer is too large'],
  ['encoded_body', 'The answer is compressed'],
  ['missing_event', 'The service no longer has the event'],
]);

export const describeOutcome = ({ outcome, status }: { outcome: string; status: number | null }): string =>
  outcomes.get(outcome) ?? (status === null ? 'Failed' : `HTTP status ${status}`);

/** Returns the error of an attempt; null if it has none, or the HTTP status says it all. */
export const pickErrorDetail = ({
  outcome,
  error,
}: {
  outcome: string;
  error: string | null;
}): string | null => (outcome === 'http_status' ? null : error);

/** Formats a duration: `84 ms`, `1.2 s`. */
export const formatDuration = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;

/** Formats a rate in percent, rounded down, so that a single failure does not show as 100 %. */
export const formatRate = (part: number, whole: number): string =>
  `${Math.floor((part / whole) * 1_000) / 10} %`;

/** Longest delay of a due delivery while a dispatcher runs. */
const overdueMs = 60_000;

/** Returns `true` if a delivery is overdue for so long that probably no dispatcher runs. */
export const isOverdue = (
  { state, dueMs }: { state: string; dueMs: number | null },
  nowMs: number,
): boolean => state === 'pending' && dueMs !== null && nowMs - dueMs > overdueMs;
