import { expect, test } from 'vitest';
import { flowsBeyond } from '../chain/wallet-flows.ts';

const [A, B, C] = ['0xa::a::A', '0xb::b::B', '0xc::c::C'] as const;
const flows = (
  paid: [string, bigint][],
  received: [string, bigint][] = [],
  others: string[] = [],
  rights: string[] = [],
) => ({
  paid: new Map(paid),
  received: new Map(received),
  others,
  rights,
});
const bounds = {
  takes: [
    { coinType: A, amount: '10' },
    { coinType: C, amount: '4' },
  ],
  brings: [{ coinType: B, amount: '5' }],
};

test('what takes at most and brings at least what was asked for keeps to its bounds', () => {
  expect(flowsBeyond(bounds, flows([[A, 10n]], [[B, 5n]]))).toBeUndefined();
  expect(flowsBeyond(bounds, flows([[C, 4n]], [[B, 9n]]))).toBeUndefined();
});

test.each([
  ['more of a coin', flows([[A, 11n]], [[B, 5n]]), /takes 1 more of 0xa/],
  ['a coin that was not asked for', flows([[B, 1n]], [[B, 5n]]), /takes 1 more of 0xb/],
  ['less in return', flows([[A, 10n]], [[B, 4n]]), /brings less than 5/],
  ['nothing in return', flows([[A, 10n]]), /brings less than 5/],
  ['another owner', flows([[A, 10n]], [[B, 5n]], [], ['wallet::OwnerChanged']), /who may take what/],
  ['another wallet', flows([], [[B, 5n]], ['0x7']), /touches the wallet 0x7/],
])('%s is beyond them', (_what, seen, reason) => {
  expect(flowsBeyond(bounds, seen)).toMatch(reason);
});
