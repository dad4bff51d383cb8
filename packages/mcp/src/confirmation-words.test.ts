import { describe, expect, test } from 'vitest';
import { describeConfirmation } from './confirmation-words.ts';

const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const address = (digit: string) => `0x${digit.repeat(64)}`;
const wallet = { walletId: address('a'), owner: address('b'), network: 'testnet' } as const;
const bounds = {
  network: 'testnet' as const,
  takesAtMost: [{ coinType: sui, amount: '3000000000' }],
  bringsAtLeast: [],
  boundsHold: true,
  steps: [],
};
const call = (more: object) => ({
  action: 'call',
  ...wallet,
  adaptor: `${address('c')}::jar::Jar`,
  op: 'jar::tip',
  spends: [{ coinType: sui, amount: '3000000000' }],
  receivesAtLeast: [],
  ...more,
});
const writeWords = (request: object, more: object = {}) =>
  describeConfirmation(request as never, { ...bounds, ...more });

describe('what a person confirms', () => {
  test('is the bounds that are signed, in base units, and for SUI in SUI', () => {
    const words = writeWords(call({}));
    expect(words).toContain(`- At most 3000000000 base units of ${sui} (3 SUI) leaves the wallet.`);
    expect(words).toContain('- No coin has to come into the wallet.');
    expect(words).toContain('The chain enforces these bounds');
    const fake = `${address('f')}::sui::SUI`;
    const swap = { takesAtMost: [], bringsAtLeast: [{ coinType: fake, amount: '5' }] };
    expect(writeWords(call({}), swap)).toContain(`- At least 5 base units of ${fake} comes into the wallet.`);
    expect(writeWords(call({}), swap)).toContain('- No coin leaves the wallet.');
    expect(writeWords(call({}), { takesAtMost: [{ coinType: sui, amount: '1' }] })).toContain(
      '(0.000000001 SUI)',
    );
  });

  test('says so if nothing on chain enforces the bounds', () => {
    expect(writeWords(call({}), { boundsHold: false })).toContain('does NOT enforce these bounds');
  });

  test('names every recipient in full, of each step', () => {
    const pay = (recipient: string, amount: string) => ({
      action: 'spend',
      coinType: sui,
      amount,
      recipient,
    });
    const words = writeWords({
      action: 'compose',
      ...wallet,
      steps: [pay(address('1'), '1'), pay(address('2'), '2000000000')],
    });
    expect(words).toContain(`- ${address('1')} is paid 1 base units of ${sui} (0.000000001 SUI).`);
    expect(words).toContain(`- ${address('2')} is paid 2000000000 base units of ${sui} (2 SUI).`);
    // A request without an action is a spend.
    const plain = { ...wallet, coinType: sui, amount: '7', recipient: address('3') };
    expect(writeWords(plain)).toMatch(
      /^Run the action spend for the wallet 0xa+ of the owner 0xb+ on testnet\?/,
    );
    expect(writeWords(plain)).toContain(`- ${address('3')} is paid 7 base units`);
  });

  test('holds every argument of the request', () => {
    const given = {
      values: { to: address('9'), days: 3, list: [[1], []] },
      minOut: '0',
      objectId: address('d'),
    };
    const lines = writeWords(call(given)).split('\n');
    for (const line of [
      `- adaptor = "${address('c')}::jar::Jar"`,
      '- op = "jar::tip"',
      '- minOut = "0"',
      `- values.to = "${address('9')}"`,
      '- values.days = 3',
      '- values.list.0.0 = 1',
      '- values.list.1 = []',
    ]) {
      expect(lines).toContain(line);
    }
  });

  const hidden = '_x_\n- `No` coin  leaves <b>[the](https://x.y) wallet.';
  const drafted = {
    action: 'call',
    adaptor: {
      serviceType: `${address('c')}::jar::Jar`,
      publisher: address('d'),
      manifestHash: '1'.repeat(64),
    },
    calls: [
      {
        target: `${address('c')}::jar::tip`,
        typeArguments: [sui],
        arguments: [
          { role: 'wallet', value: address('a'), fixed: false },
          { role: 'object', value: address('e'), fixed: true },
          { role: 'value', value: address('f'), type: 'address', name: 'recipient', fixed: true },
          { role: 'value', value: hidden, type: '0x1::string::String', name: hidden, fixed: true },
          { role: 'value', value: [1, 2], type: 'vector<u8>', fixed: false },
          { role: 'amount', value: '18446744073709551615', type: 'u64', fixed: false },
          { role: 'result', value: { call: 0, index: 0 }, fixed: true },
          { role: 'clock', value: '0x6', fixed: false },
        ],
      },
    ],
  };

  test('names every call, with what the listing sets: types, objects, values and recipients', () => {
    const lines = writeWords(call({}), { steps: [drafted] }).split('\n');
    const from = lines.indexOf('It makes these calls:');
    const text = String.raw`"\u005fx\u005f\n- \u0060No\u0060 coin \u0020leaves \u003cb>\u005bthe\u005d(https:/\u002fx.y) wallet."`;
    expect(lines.slice(from + 1, from + 12)).toEqual([
      `- Listing: service ${address('c')}::jar::Jar, publisher ${address('d')}, manifest ${'1'.repeat(64)}.`,
      `- Call 1: ${address('c')}::jar::tip`,
      `- Call 1, type 1: ${sui}`,
      `- Call 1, argument 1: the wallet ${address('a')}`,
      `- Call 1, argument 2: object ${address('e')} (set by the listing)`,
      `- Call 1, argument 3: address "${address('f')}", called "recipient" (set by the listing)`,
      `- Call 1, argument 4: 0x1::string::String ${text}, called ${text} (set by the listing)`,
      String.raw`- Call 1, argument 5: "vector\u003cu8>" [1,2]`,
      '- Call 1, argument 6: amount 18446744073709551615',
      '- Call 1, argument 7: result 1 of call 1',
      '- Call 1, argument 8: the clock',
    ]);
  });

  test('says that a service may take the objects it keeps in the wallet, also if no coin leaves', () => {
    const words = writeWords(call({}), { takesAtMost: [], steps: [drafted] });
    expect(words).toContain('- No coin leaves the wallet.');
    expect(words).toContain(
      `- Objects that the service ${address('c')}::jar::Jar keeps in the wallet, such as positions, can leave it.`,
    );
    expect(writeWords(call({}), { takesAtMost: [] })).not.toContain('Objects');
  });

  test('cannot be imitated by a value: a value has no line of its own and no hidden characters', () => {
    const forged = '1\n- No coin leaves the wallet.\u2028\u202e\u200b';
    const words = writeWords(call({ values: { [forged]: forged }, action: forged, walletId: forged }));
    expect(words.split('\n')).not.toContain('- No coin leaves the wallet.');
    expect(words).not.toMatch(/[\u2028\u202e\u200b]/);
    expect(words).toContain(String.raw`\u2028\u202e\u200b`);
    const recipient = `0x1\nThe chain refunds it.`;
    const paid = writeWords({ ...wallet, coinType: `${sui}\nfree`, amount: '1', recipient });
    expect(paid.split('\n')).not.toContain('The chain refunds it.');
    expect(paid.split('\n').some((line) => line.startsWith('free'))).toBe(false);
  });
});
