import type { sources } from './schema/index.ts';

type SourceRow = typeof sources.$inferSelect;

/**
 * How far a source is behind its chain, in seconds: what it has not read yet, by the chain's own clock, and how
 * long the node has not been heard. A chain that stands still does not make a source late. Infinite before the
 * node was first heard.
 */
export function sourceLagSeconds(
  row: Pick<SourceRow, 'checkpoint' | 'checkpointAt' | 'chainTip' | 'chainTipAt' | 'updatedAt'>,
  now: number,
): number {
  if (row.chainTip === null || row.chainTipAt === null) return Number.POSITIVE_INFINITY;
  const silentMs = Math.max(0, now - row.updatedAt.getTime());
  if (row.checkpoint >= row.chainTip) return silentMs / 1000;
  if (row.checkpointAt === null) return Number.POSITIVE_INFINITY;
  return (Math.max(0, row.chainTipAt.getTime() - row.checkpointAt.getTime()) + silentMs) / 1000;
}
