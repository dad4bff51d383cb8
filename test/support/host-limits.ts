import { loadConfig } from '../../lib/config/index.ts';

const { dailyLimits, gasLimits, runsDaily } = loadConfig({});

/** What a host bounds runs by where its operator sets nothing. */
export const hostLimits = { dailyLimits, gasLimits, runsDaily };

/** Origin that callers of the tests' host know it by. */
export const publicUrl = 'https://market.example';

/** Attempts follow each other faster than in production, so that tests of many attempts do not wait. */
export const fastTiming = {
  settleTiming: { pauseMs: 20, pauseMsMax: 500, shownMsMax: 1_000 },
  recoverEveryMs: 500,
};
