import type { SharedTarget } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import type { Attester } from '../../lib/config/attesters.ts';
import type { Adaptors } from './deploy.ts';
import { findCreatedObject, publish } from './publish.ts';

/** The audits' words, by the adaptor whose package they are about. */
const audits = {
  liquidStaking: 'No finding of high or medium severity is open.',
  termSavings: 'One finding of low severity is open.',
};

const repository = 'https://git.example/adaptors';
const commit = '0123456789abcdef0123456789abcdef01234567';

/**
 * Publishes an attester and states its audits of two adaptors. The addresses of its reports lead nowhere.
 * @returns the attester's package
 */
export async function auditAdaptors(
  auditor: Account,
  attestations: SharedTarget,
  adaptors: Pick<Adaptors, keyof typeof audits>,
): Promise<string> {
  const published = await publish(auditor, 'auditor', { attestations: attestations.packageId });
  const cap = findCreatedObject(published, '::audit::AuditorCap');
  await execute(auditor, (tx) => {
    for (const name of Object.keys(audits) as (keyof typeof audits)[]) {
      const { packageId, manifest } = adaptors[name];
      const report = `https://audits.example/${manifest.ops[0]!.module}`;
      const texts = [audits[name], repository, commit, report].map((text) => tx.pure.string(text));
      tx.moveCall({
        target: `${published.packageId}::audit::attest`,
        arguments: [tx.object(cap), tx.object(attestations.objectId), tx.pure.id(packageId), ...texts],
      });
    }
  });
  return published.packageId;
}

/** The attester of the local network, as an operator lists it. */
export const describeAuditor = (packageId: string): Attester => ({
  name: 'Demo auditor',
  type: `${packageId}::audit::Audit`,
  says: 'It audited this version of the package.',
  fields: { summary: 'description', repository: 'repository', commit: 'commit', report: 'report_url' },
});
