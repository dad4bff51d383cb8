import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { executorKeysRequest, runsRequest, unfreezeRequest } from '../agent/shapes.ts';
import { ProblemError } from '../errors/index.ts';
import { parseQuery } from './parse.ts';

const shape = { network: z.enum(['testnet', 'mainnet']).optional(), q: z.string().optional() };
const lenient = z.object(shape);
const strict = z.strictObject(shape);

function catchErrors(schema: z.ZodObject, search: string): unknown {
  try {
    parseQuery(schema, search);
  } catch (error) {
    if (error instanceof ProblemError) return error.errors;
    throw error;
  }
  throw new Error(`${search} was taken`);
}

test.each(['_=1', 'q=a&_=1&_=2', 'utm_source=%zz', '%zz=1', '__proto__=1', 'Network=mainnet', 'constructor'])(
  'what nobody knows is ignored: %s',
  (search) => expect(parseQuery(lenient, search)).toEqual(search.startsWith('q=') ? { q: 'a' } : {}),
);

test.each([
  ['network=devnet', 'query.network'],
  ['q=a&q=b', 'query.q'],
  ['q=%zz', 'query.q'],
  ['q=%00', 'query.q'],
])('a known parameter with a bad value is refused all the same: %s', (search, path) => {
  expect(catchErrors(lenient, search)).toMatchObject([{ path }]);
});

test('a strict query refuses what it does not know, with the nearest name', () => {
  expect(catchErrors(unfreezeRequest, 'walletid=0x1')).toEqual([
    { path: 'query.walletid', message: 'unknown parameter; did you mean walletId?' },
  ]);
  expect(catchErrors(executorKeysRequest, 'netwrok=testnet')).toMatchObject([{ path: 'query.netwrok' }]);
  expect(catchErrors(strict, '_=1&%zz=1')).toEqual([
    { path: 'query._', message: 'unknown parameter; known are network, q' },
    { path: 'query.%zz=1', message: 'is not percent-encoded UTF-8, or holds U+0000' },
  ]);
});

test('an empty network is the default network, as forms send it', () => {
  expect(parseQuery(runsRequest, 'walletId=0x1&network=').network).toBeUndefined();
  expect(parseQuery(unfreezeRequest, 'network=').network).toBe('*');
  expect(catchErrors(runsRequest, 'walletId=')).toMatchObject([{ path: 'query.walletId' }]);
});

test('the list of runs is a read, and ignores what it does not know', () => {
  expect(parseQuery(runsRequest, 'walletId=0x1&network=testnet&_=1')).toMatchObject({ network: 'testnet' });
});

const piece = fc.stringMatching(/^[A-Za-z_%0-9.=]{0,12}$/);
test('whatever is added under other names, the question stays the same', () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(piece), (before, after) => {
      const isOther = (part: string) => !/^(network|q)(=|$)/.test(decoded(part.split('=')[0]!));
      const search = [...before.filter(isOther), 'q=jar', ...after.filter(isOther)].join('&');
      expect(parseQuery(lenient, search)).toEqual({ q: 'jar' });
    }),
  );
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
