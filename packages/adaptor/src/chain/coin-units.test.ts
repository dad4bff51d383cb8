import { RpcError } from '@protobuf-ts/runtime-rpc';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coinUnits, inUnits, nameOfType } from './coin-units.ts';

const coin = (name: string) => `0x${'0'.repeat(63)}5::pool::${name}`;

function node(answer: (coinType: string) => { decimals?: number; symbol?: string } | RpcError | undefined) {
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
  return { units: coinUnits(client), asked };
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

test('one request asks the node for a bounded number of coins', async () => {
  const { units, asked } = node(() => ({ decimals: 1 }));
  await units.read(Array.from({ length: 500 }, (_, n) => coin(`C${n}`)));
  expect(asked).toHaveLength(20);
});

test('base units are shown without loss', () => {
  expect(inUnits('12500000000', 9)).toBe('12.5');
  expect(inUnits('0', 9)).toBe('0');
  expect(inUnits('7', 0)).toBe('7');
  expect(inUnits('1', 18)).toBe('0.000000000000000001');
  const anyAmount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(anyAmount, fc.integer({ min: 0, max: 255 }), (amount, decimals) => {
      const [whole = '', fraction = ''] = inUnits(String(amount), decimals).split('.');
      expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(amount);
    }),
  );
});

test('the name of a type is its last part, whatever its parameters', () => {
  expect(nameOfType(`${coin('Share')}<${coin('A')}>`)).toBe('Share');
});
