import { Registry } from '@prometheus-io/client';
import { expect, test, vi } from 'vitest';
import { type Logger, silentLogger } from '../../lib/log/index.ts';
import { createDispatcherMetrics, createMissingReporter } from './receivers.ts';

test('a subscription that goes missing while another one comes back is logged', () => {
  const log = { ...silentLogger, error: vi.fn(), info: vi.fn() } as unknown as Logger;
  const report = createMissingReporter(log, createDispatcherMetrics(new Registry()));
  report(['sub_a', 'sub_b']);
  report(['sub_b', 'sub_a']);
  expect(log.error).toHaveBeenCalledOnce();
  report(['sub_b', 'sub_c']);
  expect(log.error).toHaveBeenLastCalledWith(
    expect.objectContaining({ subscriptions: ['sub_b', 'sub_c'] }),
    expect.stringContaining('missing from the key-value store'),
  );
  report([]);
  expect(log.info).toHaveBeenCalledOnce();
});
