import {
  briefCertificate,
  Certifier,
  type CertifyTarget,
  certificateHash,
  encodeCertificate,
} from '@adaptor-marketplace/adaptor/certify';
import { boundProcess } from '@adaptor-marketplace/process/bounded';
import type { AnalysisMessage, AnalysisRequest } from './analysis-process.ts';

// Script of the process that `AnalysisProcess` starts. It loads only what the analysis needs, because its start takes
// time.

process.once('disconnect', () => process.exit());
process.on('message', async (request: AnalysisRequest) => {
  await boundProcess({ processorMs: request.bounds.processorMs });
  certifyAll(request);
});

/** Sends each certificate as soon as it is made, then the number of functions that exceed the bounds. */
function certifyAll({ program, bounds, targets: chosen }: AnalysisRequest): void {
  const send = (message: AnalysisMessage) => process.send!(message);
  const certifier = new Certifier(program);
  const targets = chosen
    ? certifier.targets.filter((target) => chosen.some((each) => isSame(each, target)))
    : certifier.targets;
  let bytesLeft = bounds.packageBytes;
  let tooLarge = Math.max(0, targets.length - bounds.functions);
  for (const target of targets.slice(0, bounds.functions)) {
    const certificate = certifier.certify(target);
    const bytes = encodeCertificate(certificate).length;
    const brief = briefCertificate(certificate);
    const stored = bytes + Buffer.byteLength(JSON.stringify(brief));
    if (bytes > bounds.functionBytes || stored > bytesLeft) {
      tooLarge++;
      continue;
    }
    bytesLeft -= stored;
    send({ hash: certificateHash(certificate), certificate, bytes, brief });
  }
  send({ tooLarge });
}

const isSame = (a: CertifyTarget, b: CertifyTarget): boolean =>
  a.module === b.module && a.function === b.function;
