import { loadConfig } from '../../lib/config/index.ts';

const { dailyLimits, gasLimits, runsDaily } = loadConfig({});

/** What a host bounds runs by where its operator sets nothing. */
export const hostLimits = { dailyLimits, gasLimits, runsDaily };
