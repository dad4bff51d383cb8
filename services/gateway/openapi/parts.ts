import { type Network, networks, normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { answerEntriesMax } from '../../../lib/http/bounded-page.ts';
import { networkNotServed } from '../../../lib/http/exchange.ts';
import { absentIfEmpty, wholeNumber } from '../../../lib/http/parse.ts';

export const networkName = z.enum(networks);

const defaultNetwork = { description: 'Defaults to the network that the host has set, normally testnet.' };

/** The network in a body, and in a query. */
export const networkField = networkName.optional().meta(defaultNetwork);
export const networkParameter = absentIfEmpty(networkName.optional()).optional().meta(defaultNetwork);

/** An address or object id, normalized to its long form. */
export const addressParameter = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'expected 0x and up to 64 hex digits')
  .transform((text) => normalizeAddress(text) ?? text);

/** The type of a service, in canonical form. */
export const serviceTypeParameter = z
  .string()
  .max(512)
  .transform((given, context) => {
    const named = parseServiceType(given);
    if (!('error' in named)) return named.canonical;
    context.addIssue(named.error);
    return z.NEVER;
  });

/** Bound of a list page, which is also its default size. */
export const pageBound = '1,000 entries or 4 MB, whichever comes first';

export const limitParameter = wholeNumber(answerEntriesMax);

export const cursorParameter = z
  .string()
  .min(1)
  .max(2048)
  .optional()
  .meta({ description: '`nextCursor` of the page before, with the same other parameters.' });

/**
 * Chooses the network of a request.
 * @throws ProblemError 400 if this service does not index the network: an empty catalog would be a false response
 */
export type NetworkChoice = (requested: Network | undefined) => Network;

export function createNetworkChoice(served: readonly Network[], defaultNetwork: Network): NetworkChoice {
  return (requested = defaultNetwork) => {
    if (served.includes(requested)) return requested;
    throw networkNotServed('This host', requested, served);
  };
}

export const problem = z
  .object({
    type: z.string().meta({ description: 'Url of a page about `code`.' }),
    title: z.string().meta({ description: 'What `code` means, in a few words.' }),
    status: z.int().meta({ description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'What is wrong with this request and what to do.' }),
    code: z
      .string()
      .regex(/^[a-z_]+$/)
      .meta({ description: 'Stable word to switch on. The page `/errors` lists all of them.' }),
    requestId: z
      .string()
      .meta({ description: 'Also in the x-request-id header. Name it when you report a problem.' }),
    errors: z
      .array(
        z.object({
          path: z.string(),
          message: z.string(),
          position: z.int().min(1).optional().meta({
            description: 'Of a text such as SQL: the character at which it is wrong, counted from 1.',
          }),
        }),
      )
      .optional()
      .meta({ description: 'One row for each wrong field or parameter, at most 20.' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' });

const header = (description: string) => z.string().meta({ description });
const optionalHeader = (description: string) => z.string().optional().meta({ description });

/** Response headers, each defined once. */
export const headers = {
  'x-request-id': header("Identifies the request in the service's log."),
  etag: header('Send it as if-none-match to get 304 until the response would be another.'),
  'x-indexed-checkpoint': optionalHeader('Highest checkpoint of the chain that the response covers in full.'),
  link: optionalHeader('The next page with rel="next", where there is one (RFC 8288).'),
  'retry-after': optionalHeader('Seconds to wait before the next request.'),
  'www-authenticate': header('The scheme of the credential: Bearer.'),
  'set-cookie': header('The session as an http-only cookie, or its removal.'),
  'x-run-id': header('Id of the run.'),
  'x-run-attempt': header('Which attempt of its requestId the run is, counted from 1.'),
};

/** Headers of a response that comes from the index. */
export const indexedHeader = { 'x-indexed-checkpoint': headers['x-indexed-checkpoint'] };

const rateHeader = (words: string) => optionalHeader(`${words} Present where this host has limits.`);

export const commonHeaders = {
  'x-request-id': headers['x-request-id'],
  'x-ratelimit-limit': rateHeader('Requests a minute that the caller may make.'),
  'x-ratelimit-remaining': rateHeader('Requests left in the window.'),
  'x-ratelimit-reset': rateHeader('Unix seconds when the window ends.'),
  ratelimit: rateHeader('The same, as draft-ietf-httpapi-ratelimit-headers-10 has it.'),
  'ratelimit-policy': rateHeader('The policy that the request is counted under.'),
};

export const ifNoneMatchHeader = {
  'if-none-match': optionalHeader('ETags of the copies that the caller has.'),
};

/** Values that all examples share, so that one example leads to the next. */
export const id = (digit: string): string => `0x${digit.repeat(64)}`;

export const owner = id('a');
export const walletId = id('b');
export const publisher = id('7');
export const packageId = id('1');
export const serviceType = `${packageId}::tip_jar::TipJar`;
export const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
export const digest = '24qR7uvsE9BG6oCV1f4RmBhP1FiFmnxAHJ3N9hyLFjf7';
export const manifestHash = '5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02';
export const manifestUri = 'walrus://bf5CQezdzqN4mZf9aSZG-T6_jhSzwFrpwxkmtfCDWTU';

/** 2026-03-14, and a day and thirty days later. */
export const atMs = 1_773_446_400_000;
export const dayMs = 86_400_000;
export const monthMs = 30 * dayMs;

export const op = {
  kind: 'pay',
  module: 'tip_jar',
  entry: 'tip',
  label: 'Tip',
  intentMode: 'A',
  call: {
    typeArgs: [],
    args: [
      { role: 'wallet' },
      { role: 'object', objectId: id('2'), mutable: true },
      { role: 'amount' },
      { role: 'clock' },
    ],
  },
};

export const manifest = {
  name: 'Tip Jar',
  category: 'Other',
  summary: 'A jar that anyone tips.',
  serviceType,
  packageId,
  ops: [op],
  supportedCoins: [sui],
  networks: ['testnet' as const],
};
