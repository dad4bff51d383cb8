import { describe, expect, test } from 'vitest';
import { argumentWords, confirmationWords } from './confirmation-words.ts';

const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const address = (digit: string) => `0x${digit.repeat(64)}`;
const wallet = { walletId: address('a'), owner: address('b'), network: 'testnet' } as const;
const bounds = {
  network: 'testnet' as const,
  takesAtMost: [{ coinType: sui, amount: '3000000000' }],
  bringsAtLeast: [],
  boundsHold: true,
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
const writeWords = (request: object, more: object = {}, listed?: Record<string, unknown>) =>
  confirmationWords(request as never, { ...bounds, ...more }, argumentWords(request as never, listed));

describe('what a person confirms', () => {
  test('is the bounds that are signed, in base units, and for SUI in SUI', () => {
    const words = writeWords(call({}));
    expect(words).toContain(`- At most 3000000000 base units of ${sui} (3 SUI) leaves the wallet.`);
    expect(words).toContain('- Nothing has to come into the wallet.');
    expect(words).toContain('The chain enforces these bounds');
    const fake = `${address('f')}::sui::SUI`;
    const swap = { takesAtMost: [], bringsAtLeast: [{ coinType: fake, amount: '5' }] };
    expect(writeWords(call({}), swap)).toContain(`- At least 5 base units of ${fake} comes into the wallet.`);
    expect(writeWords(call({}), swap)).toContain('- Nothing leaves the wallet.');
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

  test('holds every argument, and what the listing adds to them', () => {
    const given = {
      values: { to: address('9'), days: 3, list: [[1], []] },
      minOut: '0',
      objectId: address('d'),
    };
    const words = writeWords(
      call(given),
      {},
      { objects: [address('d'), address('e')], fixedValues: '{"fee":9}' },
    );
    for (const line of [
      `- adaptor = "${address('c')}::jar::Jar"`,
      '- op = "jar::tip"',
      '- minOut = "0"',
      `- values.to = "${address('9')}"`,
      '- values.days = 3',
      '- values.list.0.0 = 1',
      '- values.list.1 = []',
      `- objects.1 = "${address('e')}"`,
      String.raw`- fixedValues = "{\"fee\":9}"`,
    ]) {
      expect(words.split('\n')).toContain(line);
    }
  });

  test('cannot be imitated by a value: a value has no line of its own and no hidden characters', () => {
    const forged = '1\n- Nothing leaves the wallet.\u2028\u202e\u200b';
    const words = writeWords(call({ values: { [forged]: forged }, action: forged, walletId: forged }));
    expect(words.split('\n')).not.toContain('- Nothing leaves the wallet.');
    expect(words).not.toMatch(/[\u2028\u202e\u200b]/);
    expect(words).toContain(String.raw`\u2028\u202e\u200b`);
    const recipient = `0x1\nThe chain refunds it.`;
    const paid = writeWords({ ...wallet, coinType: `${sui}\nfree`, amount: '1', recipient });
    expect(paid.split('\n')).not.toContain('The chain refunds it.');
    expect(paid.split('\n').some((line) => line.startsWith('free'))).toBe(false);
  });
});
