import { loadConfig } from '../../lib/config/index.ts';

const { dailyLimits, gasLimits, runsDaily } = loadConfig({});

/** The default limits of an operator's runs. */
export const hostLimits = { dailyLimits, gasLimits, runsDaily };

/** Public origin of the tests' gateway. */
export const publicUrl = 'https://market.example';

/** Shorter intervals than in production, so that tests with many attempts do not take long. */
export const fastTiming = {
  settleTiming: { pauseMs: 20, pauseMsMax: 500, shownMsMax: 1_000 },
  recoverEveryMs: 500,
};
