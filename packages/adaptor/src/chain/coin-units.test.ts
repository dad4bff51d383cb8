import { RpcError } from '@protobuf-ts/runtime-rpc';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTypeName } from '../names/coin-symbol.ts';
import { coinUnits, describeAmount, formatUnits, readCoinInfo } from './coin-units.ts';

const coin = (name: string) => `0x${'0'.repeat(63)}5::pool::${name}`;

function node(
  answer: (
    coinType: string,
  ) => { decimals?: number; symbol?: string; name?: string; iconUrl?: string } | RpcError | undefined,
) {
  const asked: string[] = [];
  const client = {
    stateService: {
      async getCoinInfo({ coinType }: { coinType?: string }) {
        asked.push(coinType!);
        const metadata = answer(coinType!);
        if (metadata instanceof RpcError) throw metadata;
        return { response: { coinType: coinType!, ...(metadata && { metadata }) } };
      },
    },
  };
  return { client, units: coinUnits(client), asked };
}

test('a coin is asked for once, and is known for ever', async () => {
  const { units, asked } = node(() => ({ decimals: 9, symbol: 'SUI' }));
  const expected = new Map([[coin('SUI'), { decimals: 9, symbol: 'SUI' }]]);
  expect(await units.read([coin('SUI'), coin('SUI')])).toEqual(expected);
  expect(await units.read([coin('SUI')])).toEqual(expected);
  expect(asked).toEqual([coin('SUI')]);
});

test('a coin that the node does not know is absent, and is not asked for at each request', async () => {
  const { units, asked } = node(() => new RpcError('no', 'NOT_FOUND'));
  expect(await units.read([coin('A')])).toEqual(new Map());
  expect(await units.read([coin('A')])).toEqual(new Map());
  expect(asked).toHaveLength(1);
});

test('a node that fails makes a coin absent until it answers', async () => {
  let broken = true;
  const { units } = node(() => (broken ? new RpcError('down', 'UNAVAILABLE') : { decimals: 6 }));
  expect(await units.read([coin('A')])).toEqual(new Map());
  broken = false;
  expect(await units.read([coin('A')])).toEqual(new Map([[coin('A'), { decimals: 6, symbol: 'A' }]]));
});

test("a stranger's symbol is shown only where it is plain", async () => {
  const { units } = node(() => ({ decimals: 6, symbol: 'USDC\u202e!' }));
  expect((await units.read([coin('Fake')])).get(coin('Fake'))?.symbol).toBe('Fake');
});

test.each([
  ['USD Coin', 'USD Coin'],
  ['USD\u202e nioC\u2066\u200b\0', 'USD nioC'],
  [' two\n lines\u2028of\u00a0it ', 'two lines of it'],
  ['\u202e\u2066', null],
  ['', null],
  ['\u{1f4b0}'.repeat(1_000_000), '\u{1f4b0}'.repeat(64)],
  [`a${'\u{1f4b0}'.repeat(1_000)}`, `a${'\u{1f4b0}'.repeat(63)}`],
])("a stranger's name is one short line of characters that are seen: %#", async (name, shown) => {
  const { client } = node(() => ({ decimals: 6, symbol: 'USDC', name }));
  expect(await readCoinInfo(client, coin('USDC'), 1_000)).toEqual({
    status: 'found',
    value: { decimals: 6, symbol: 'USDC', name: shown, iconUrl: null },
  });
});

test.each([
  ['https://LOGOS.example:443/a b.png', 'https://logos.example/a%20b.png'],
  ['https://b\u00fccher.example/a.png', 'https://xn--bcher-kva.example/a.png'],
  ['data:image/png;base64,AAAA/BBB', 'data:image/png;base64,AAAA/BBB'],
  [`https://logos.example/${'\u00e9'.repeat(1_000)}`, null],
  [`https://${'\u6f22'.repeat(2_000)}/a.png`, null],
  [`https://${'a.'.repeat(130)}example/a.png`, null],
  [`https://${'\u6f22'.repeat(2_000)}@logos.example/a.png`, null],
  ['https://user:secret@logos.example/a.png', null],
  ['http://logos.example/a.png', null],
  ['javascript:alert(1)', null],
  ['https://', null],
])(
  "a stranger's logo is a url in the form of the URL parser, of a host that can exist: %#",
  async (iconUrl, found) => {
    const { client } = node(() => ({ decimals: 6, symbol: 'USDC', iconUrl }));
    expect(await readCoinInfo(client, coin('USDC'), 1_000)).toMatchObject({ value: { iconUrl: found } });
  },
);

test('a coin whose metadata lacks its decimals, or has more than Move can hold, has none', async () => {
  for (const metadata of [{ symbol: 'A' }, { symbol: 'A', decimals: 256 }, undefined]) {
    const { client } = node(() => metadata);
    expect(await readCoinInfo(client, coin('A'), 1_000)).toMatchObject({ status: 'absent' });
  }
});

test('one request asks the node for a bounded number of coins', async () => {
  const { units, asked } = node(() => ({ decimals: 1 }));
  await units.read(Array.from({ length: 500 }, (_, n) => coin(`C${n}`)));
  expect(asked).toHaveLength(20);
});

test('base units are shown without loss', () => {
  expect(formatUnits('12500000000', 9)).toBe('12.5');
  expect(formatUnits('0', 9)).toBe('0');
  expect(formatUnits('7', 0)).toBe('7');
  expect(formatUnits('1', 18)).toBe('0.000000000000000001');
  const anyAmount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(anyAmount, fc.integer({ min: 0, max: 255 }), (amount, decimals) => {
      const [whole = '', fraction = ''] = formatUnits(String(amount), decimals).split('.');
      expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(amount);
    }),
  );
});

test('the name of a type is its last part, whatever its parameters', () => {
  expect(parseTypeName(`${coin('Share')}<${coin('A')}>`)).toBe('Share');
});

test('an amount of a coin that calls itself SUI has the package of the coin beside it', () => {
  const stranger = `0x${'ab'.repeat(32)}::coin::COIN`;
  expect(describeAmount(stranger, '1500000000', { symbol: 'SUI', decimals: 9 })).toBe(
    '1.5 SUI of 0xabab…abab',
  );
  expect(describeAmount('0x2::sui::SUI', '1500000000', { symbol: 'SUI', decimals: 9 })).toBe('1.5 SUI');
  expect(describeAmount(stranger, '15', undefined)).toBe('15 base units of COIN');
});
