import { join } from 'node:path';
import type { Bind } from '@adaptor-marketplace/localnet/internal/listen-on';
import type { Config } from '../../lib/config/index.ts';
import { bindPort, type OpenPortOptions } from '../../lib/ports/open-port.ts';
import type { Process } from './process.ts';

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
