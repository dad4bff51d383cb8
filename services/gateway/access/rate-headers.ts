import type { ServerResponse } from 'node:http';
import type { WindowCount } from '../../../lib/kv/kv.ts';

export const windowMs = 60_000;

/** A limit that a caller is under. `name` tells the caller which. */
export interface Policy {
  name: 'anonymous' | 'key' | 'credential' | 'attempts';
  perMinute: number;
}

/** Whole seconds until the window ends; at least one, so that nobody retries in it. */
export const secondsLeft = ({ endsInMs }: WindowCount) => Math.max(1, Math.ceil(endsInMs / 1000));

/**
 * Says how much is left: in the form that is in common use, and as the RateLimit header fields of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function setRateHeaders(res: ServerResponse, { name, perMinute }: Policy, window: WindowCount): void {
  const remaining = Math.max(0, perMinute - window.count);
  const seconds = secondsLeft(window);
  res.setHeader('x-ratelimit-limit', perMinute);
  res.setHeader('x-ratelimit-remaining', remaining);
  res.setHeader('x-ratelimit-reset', Math.floor(Date.now() / 1000) + seconds);
  res.setHeader('ratelimit-policy', `"${name}";q=${perMinute};w=${windowMs / 1000}`);
  res.setHeader('ratelimit', `"${name}";r=${remaining};t=${seconds}`);
}

/** Names of the headers, for scripts that may read them across origins. */
export const rateHeaderNames = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
] as const;
