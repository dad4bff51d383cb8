import type { Registry } from '@prometheus-io/client';
import type { Config } from '../../lib/config/index.ts';
import type { Logger } from '../../lib/log/index.ts';

export const roles = ['localnet', 'indexer', 'dispatcher', 'tools', 'agent', 'gateway'] as const;
export type Role = (typeof roles)[number];

/** What every role gets: settings, a log, metrics, and where to leave what must be closed at the end. */
export interface Process {
  config: Config;
  log: Logger;
  metrics: Registry;
  closing: AsyncDisposableStack;
  /** What the operator should read beside the addresses; whoever shows one removes it. */
  notices: Set<string>;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  stop: AbortSignal;
}
