import type { Pool } from 'pg';
import type { SourceVerdict } from '../../db/queries/catalog/source-verdict.ts';
import { addCertifiedPackages } from '../../db/queries/certificates.ts';
import { recordVerification } from '../../db/queries/package-sources/builds.ts';
import { encodeContent } from '../../db/queries/package-sources/content.ts';
import { addSourceOffer } from '../../db/queries/package-sources/offers.ts';
import { inTransaction } from '../../db/transaction.ts';
import { address } from './read-model.ts';

const network = 'testnet';
const report = { compiler: null, reason: null, modules: [], missing: [], extra: [], dependencies: [] };

/** Offers source for a package, one for each verdict, without a build. */
export async function offerFor(pool: Pool, packageId: string, verdict: SourceVerdict) {
  await inTransaction(pool, (client) =>
    addCertifiedPackages(client, network, [{ packageId, publisher: address(0xa1) }]),
  );
  const files = { 'Move.toml': `# ${verdict} ${packageId}` };
  const stored = await encodeContent({ folder: '/it', packages: new Map([['/it', files]]) });
  const sender = `${packageId} ${verdict}`;
  await addSourceOffer(pool, { network, packageId, address: sender, sourceHash: 'ab', ...stored });
  return { network, packageId, hash: stored.hash };
}

/** Offers source for a package, and stores the verdict of its build as the indexer does. */
export async function giveVerdict(
  pool: Pool,
  packageId: string,
  verdict: SourceVerdict,
  ...pageSize: [number?]
): Promise<void> {
  const key = await offerFor(pool, packageId, verdict);
  await recordVerification(pool, key, { verdict, report }, ...pageSize);
}
