import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { WindowCount } from '../../../lib/kv/kv.ts';
import { type Policy, secondsLeft } from './rate-headers.ts';

const remedies: Record<Policy['name'], string> = {
  anonymous: ' An API key of this host has a limit of its own.',
  key: '',
  credential: '',
  attempts: ' Too many credentials were tried from this address. Requests without one are still served.',
};

/** 429, with the seconds until the window ends. */
export function tooMany({ name, perMinute }: Policy, window: WindowCount): ProblemError {
  const seconds = secondsLeft(window);
  const detail = `The limit is ${perMinute} requests a minute. Try again in ${seconds} s.${remedies[name]}`;
  return problem('rate_limited', detail, { headers: { 'retry-after': String(seconds) } });
}
