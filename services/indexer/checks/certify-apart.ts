import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Certifier, certificateHash } from '@adaptor-marketplace/adaptor/certify';
import { canonicalJson } from '@adaptor-marketplace/adaptor/manifest';
import type { AnalysisMessage, AnalysisRequest } from './certify.ts';

// The process of `AnalysisProcess`.

const watch = new Worker(new URL('./processor-time.ts', import.meta.url));
const watching = once(watch, 'online');

process.once('disconnect', () => process.exit());
process.on('message', async (request: AnalysisRequest) => {
  await watching;
  watch.postMessage(request.bounds.processorMs);
  certifyAll(request);
});

/** Sends each certificate as soon as it is made, then the number of functions that exceed the bounds. */
function certifyAll({ program, bounds }: AnalysisRequest): void {
  const send = (message: AnalysisMessage) => process.send!(message);
  const certifier = new Certifier(program);
  const { targets } = certifier;
  let bytesLeft = bounds.packageBytes;
  let tooLarge = Math.max(0, targets.length - bounds.functions);
  for (const target of targets.slice(0, bounds.functions)) {
    const certificate = certifier.certify(target);
    const bytes = Buffer.byteLength(canonicalJson(certificate));
    if (bytes > Math.min(bounds.functionBytes, bytesLeft)) {
      tooLarge++;
      continue;
    }
    bytesLeft -= bytes;
    send({ hash: certificateHash(certificate), certificate });
  }
  send({ tooLarge });
}
