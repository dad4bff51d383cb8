import type { Config } from '../../lib/config/index.ts';
import type { Logger } from '../../lib/log/index.ts';
import { startEmbeddedServer } from './server.ts';

interface DataDirServerOptions {
  log: Logger;
  /** Receives notices about the port for the operator. */
  notify?: (notice: string) => void;
  /** Ends the use of the server. */
  closing: AsyncDisposableStack;
}

/**
 * Starts or joins the embedded server in the data folder, for a process without a configured database. @returns its url
 * @throws FatalError as `startEmbeddedServer`
 */
export async function startDataDirServer(
  { dataDir, ports }: Pick<Config, 'dataDir' | 'ports'>,
  { closing, ...options }: DataDirServerOptions,
): Promise<string> {
  const server = await startEmbeddedServer({ dir: `${dataDir}/postgres`, port: ports.postgres, ...options });
  closing.defer(() => server.stop());
  return server.url;
}
