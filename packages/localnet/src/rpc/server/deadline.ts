import { invalidArgument } from './status.ts';

const unitMs: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
/** What `setTimeout` can hold: a longer deadline is none. */
const longestMs = 2 ** 31 - 1;

/** Milliseconds of a `grpc-timeout` header (at most 8 digits and a unit); undefined without one. */
export function parseTimeoutMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const match = /^(\d{1,8})([HMSmun])$/.exec(header);
  if (!match) throw invalidArgument(`grpc-timeout ${JSON.stringify(header)} is not a number with a unit`);
  const timeoutMs = Number(match[1]) * unitMs[match[2]!]!;
  return timeoutMs > longestMs ? undefined : timeoutMs;
}
