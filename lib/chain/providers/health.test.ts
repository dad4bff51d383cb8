import { expect, onTestFinished, test, vi } from 'vitest';
import { ProviderHealth } from './health.ts';

function startHealth() {
  let nowMs = 1_000_000;
  const health = new ProviderHealth(() => nowMs);
  return { health, wait: (ms: number) => (nowMs += ms), state: (bestMs = 0) => health.assess(bestMs).state };
}

test('one failure leaves a provider healthy, three in a row set it aside for five seconds', () => {
  const { health, wait, state } = startHealth();
  health.recordFailure('UNAVAILABLE');
  health.recordFailure('UNAVAILABLE');
  health.recordAnswer(10);
  health.recordFailure('UNAVAILABLE');
  health.recordFailure('UNAVAILABLE');
  expect(state()).toBe('healthy');
  health.recordFailure('UNAVAILABLE');
  expect(health.assess(0)).toEqual({ state: 'failing', reason: 'UNAVAILABLE' });
  wait(4_999);
  expect(state()).toBe('failing');
  wait(1);
  expect(state()).toBe('healthy');
});

test('each time that a provider fails again it is left alone for longer, up to a minute', () => {
  const { health, wait, state } = startHealth();
  const rests = Array.from({ length: 6 }, () => {
    health.setAside('away');
    let seconds = 0;
    for (; state() === 'failing'; seconds++) wait(1_000);
    return seconds;
  });
  expect(rests).toEqual([5, 10, 20, 40, 60, 60]);
});

test('a provider that names a delay is left alone for it, and without one for longer each time', () => {
  const { health, wait, state } = startHealth();
  health.recordLimit(7_000);
  expect(health.assess(0)).toEqual({ state: 'limited', reason: 'limits requests for 7 s' });
  // A call that was under way, refused without a delay, does not shorten or lengthen it.
  health.recordLimit(undefined);
  expect(health.limitedMs).toBe(7_000);
  wait(7_000);
  health.recordAnswer(5);
  expect(state()).toBe('healthy');
  const waits = Array.from({ length: 7 }, () => {
    health.recordLimit(undefined);
    const { limitedMs } = health;
    wait(limitedMs);
    return limitedMs;
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test('no delay that a provider names is longer than five minutes', () => {
  const { health } = startHealth();
  health.recordLimit(1e12);
  expect(health.limitedMs).toBe(300_000);
});

test('a provider is left alone no longer after the clock of the machine was set back', () => {
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  const health = new ProviderHealth();
  health.recordLimit(7_000);
  clock.mockReturnValue(Date.now() - 3_600_000);
  expect(health.limitedMs).toBeLessThanOrEqual(7_000);
});

test('a provider lags when its newest checkpoint is 15 seconds older than the best, as long as its tip is known', () => {
  const { health, wait, state } = startHealth();
  health.recordTip({ checkpoint: 7, atMs: 50_000 });
  expect(state(65_000)).toBe('healthy');
  expect(health.assess(65_001)).toEqual({ state: 'lagging', reason: 'is 15 s behind the other providers' });
  // Its tip was read 10 seconds before the other one, in which its chain went on.
  wait(10_000);
  expect(state(75_000)).toBe('healthy');
  expect(state(75_001)).toBe('lagging');
  wait(20_001);
  expect(state(200_000)).toBe('healthy');
});
