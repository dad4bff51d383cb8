import { buildRequest } from './build-request.ts';

export const adminSecret = 'the-admin-secret-of-the-tests';
export const cronSecret = 'the-cron-secret-of-the-tests';

export const asAdmin = { authorization: `Bearer ${adminSecret}` };

/** Issues a key at a gateway that has the admin secret of the tests. */
export async function issueTestKey(
  url: string,
  fields: { integrator?: string; ratePerMin?: number; label?: string } = {},
): Promise<{ id: string; key: string; integrator: string; ratePerMin: number }> {
  const request = buildRequest({ integrator: 'acme', ratePerMin: 100, ...fields }, asAdmin);
  const send = () => fetch(`${url}/api/adaptors/keys`, request);
  let answer = await send();
  // A gateway whose process got no processor for ten seconds has not read the request.
  while (answer.status === 408) answer = await send();
  if (answer.status !== 200) throw new Error(await answer.text());
  return await answer.json();
}
