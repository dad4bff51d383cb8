import { join } from 'node:path';
import type { Bind } from '@adaptor-marketplace/localnet/internal/listen-on';
import type { Registry } from '@prometheus-io/client';
import type { Config } from '../../lib/config/index.ts';
import type { Logger } from '../../lib/log/index.ts';
import { bindPort, type OpenPortOptions } from '../../lib/ports/open-port.ts';

export const roles = ['localnet', 'indexer', 'dispatcher', 'tools', 'agent', 'gateway'] as const;
export type Role = (typeof roles)[number];

/** What every role gets: settings, a log, metrics, and the stack of what is closed at the end. */
export interface Process {
  config: Config;
  log: Logger;
  metrics: Registry;
  closing: AsyncDisposableStack;
  /** Notices for the operator, printed with the urls; removed once they are printed. */
  notices: Set<string>;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  stop: AbortSignal;
}

/** Finds the port of a server of this process, by its setting and what the data folder remembers. */
export function portOf(
  name: keyof Config['ports'],
  first: OpenPortOptions['first'],
  { config, notices }: Pick<Process, 'config' | 'notices'>,
): Bind {
  const choice = config.ports[name];
  const file = join(config.dataDir, 'ports', choice.setting);
  return bindPort({ choice, file, first, notify: (notice) => notices.add(notice) });
}
