import { loadConfig } from '../../lib/config/index.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { adminSecret } from './keys.ts';

const { dailyLimits, gasLimits, runsDaily } = loadConfig({});

/** The default limits of an operator's runs. */
export const hostLimits = { dailyLimits, gasLimits, runsDaily };

/** Public origin of the tests' gateway. */
export const publicUrl = 'https://market.example';

/** Options of an agent service that is not about them: its address, the operator's secret and the default limits. */
export const agentOptions = {
  host: '127.0.0.1',
  port: 0,
  adminSecret,
  defaultNetwork: 'testnet' as const,
  publicUrl,
  ...hostLimits,
  log: silentLogger,
};

/** Shorter intervals than in production, so that tests with many attempts do not take long. */
export const fastTiming = {
  settleTiming: { pauseMs: 20, pauseMsMax: 500, shownMsMax: 1_000 },
  recoverEveryMs: 500,
};
