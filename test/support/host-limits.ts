import { loadConfig } from '../../lib/config/index.ts';

const { dailyLimits, gasLimits, runsDaily } = loadConfig({});

/** What a host bounds runs by where its operator sets nothing. */
export const hostLimits = { dailyLimits, gasLimits, runsDaily };

/** Origin that callers of the tests' host know it by. */
export const publicUrl = 'https://market.example';
