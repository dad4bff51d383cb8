import { onTestFinished } from 'vitest';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { type Indexer, startIndexer } from '../../services/indexer/index.ts';
import { type FrameNodeOptions, startFrameNode } from './frames/node.ts';

type Options = Parameters<typeof startIndexer>[0];

/**
 * Starts an indexer that ends with the test. By default it logs nothing and reaches no host. The test closes an outbound
 * that it passes.
 */
export function runIndexer(
  options: Omit<Options, 'log' | 'outbound'> & Partial<Pick<Options, 'log' | 'outbound'>>,
): Indexer {
  const outbound = options.outbound ?? createOutbound({ allowCidrs: [] });
  if (!options.outbound) onTestFinished(() => outbound.close());
  const indexer = startIndexer({ log: silentLogger, ...options, outbound });
  onTestFinished(() => indexer.close());
  return indexer;
}

/** Starts a node that ends with the test. */
export async function runFrameNode(options: FrameNodeOptions) {
  const node = await startFrameNode(options);
  onTestFinished(() => node.close());
  return node;
}
