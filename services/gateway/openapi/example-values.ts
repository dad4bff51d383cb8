/** What stands in the examples, the same in all of them, so that one leads to the next. */

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
  networks: ['testnet'],
};
