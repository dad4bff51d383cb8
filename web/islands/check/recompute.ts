import { recomputeCertificates } from '@adaptor-marketplace/adaptor/certify';
import { nodePackages } from '@adaptor-marketplace/adaptor/introspect';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import type { CheckAnswer, CheckRequest } from './messages.ts';

/** A worker: the analysis of a large package takes seconds, in which a page would not answer. */

const answer = (content: CheckAnswer) => postMessage(content);

addEventListener('message', async ({ data }: MessageEvent<CheckRequest>) => {
  const { nodeUrl, network, published } = data;
  try {
    const packages = nodePackages(new SuiGrpcClient({ network, baseUrl: nodeUrl }));
    for await (const one of recomputeCertificates(packages, published)) answer({ kind: 'computed', ...one });
    answer({ kind: 'ended' });
  } catch (error) {
    answer({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
});
