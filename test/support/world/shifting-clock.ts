/**
 * Preload of a process: its clock jumps ahead with SIGUSR2, and back with the next one. Timers and the clock of durations
 * go on, as those of a machine whose time is corrected.
 */

/** Within the tolerance for signed times that receivers of webhooks have, five minutes. */
const jumpMs = 200_000;
let aheadMs = 0;
process.on('SIGUSR2', () => {
  aheadMs = aheadMs === 0 ? jumpMs : 0;
});

globalThis.Date = new Proxy(Date, {
  construct: (Clock, args, target) =>
    Reflect.construct(Clock, args.length === 0 ? [Clock.now() + aheadMs] : args, target),
  get: (Clock, name) => (name === 'now' ? () => Clock.now() + aheadMs : Reflect.get(Clock, name)),
});
