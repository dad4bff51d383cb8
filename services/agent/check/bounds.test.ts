import { describe, expect, test } from 'vitest';
import { requireBounds } from './bounds.ts';

const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const usdc = `0x${'a'.repeat(64)}::usdc::USDC`;
const checked = {
  takes: [{ coinType: sui, amount: 10n }],
  brings: [{ coinType: usdc, amount: 5n }],
};
const bounds = (
  takes: [coinType: string, amount: string][],
  brings: [coinType: string, amount: string][],
) => ({
  takesAtMost: takes.map(([coinType, amount]) => ({ coinType, amount })),
  bringsAtLeast: brings.map(([coinType, amount]) => ({ coinType, amount })),
});

describe('a run that carries the bounds that its caller decided on', () => {
  test('is signed within them, and without any if it carries none', () => {
    for (const within of [
      undefined,
      bounds([[sui, '10']], [[usdc, '5']]),
      bounds([[sui, '11']], []),
      bounds(
        [
          [sui, '4'],
          [sui, '6'],
        ],
        [
          [usdc, '2'],
          [usdc, '3'],
        ],
      ),
    ]) {
      expect(() => requireBounds(within, checked)).not.toThrow();
    }
  });

  test('is not signed if the listing was updated to take more, another coin, or to bring less', () => {
    for (const beyond of [
      bounds([[sui, '9']], [[usdc, '5']]),
      bounds([[usdc, '10']], []),
      bounds([], []),
      bounds([[sui, '10']], [[usdc, '6']]),
      bounds([[sui, '10']], [[sui, '1']]),
    ]) {
      expect(() => requireBounds(beyond, checked)).toThrow(
        expect.objectContaining({ code: 'bounds_exceeded' }),
      );
    }
  });
});
