import type { VersionCheckpoint } from '../../../db/queries/catalog/version-checkpoints.ts';
import { getTracing, type SpanStart } from '../../../lib/tracing/tracing.ts';

/**
 * Records a check that has ended in the traces of the checkpoints whose listings it is about. It reads them only while
 * traces are sent, and a failure of this read is not one of the check.
 */
export async function traceCheck(
  name: string,
  { startMs, attributes }: Required<Pick<SpanStart, 'startMs' | 'attributes'>>,
  readCheckpoints: () => Promise<readonly VersionCheckpoint[]>,
): Promise<void> {
  if (!getTracing()) return;
  const endMs = Date.now();
  const versions = await readCheckpoints().catch(() => []);
  const tracing = getTracing();
  if (!tracing) return;
  for (const { chainId, checkpoint } of versions) {
    const parent = tracing.locate(['checkpoint', chainId, 'registry', checkpoint]);
    tracing.start(name, { parent, startMs, attributes }).end(endMs);
  }
}
