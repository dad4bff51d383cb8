import { packageVersions } from '@adaptor-marketplace/adaptor/chain/package-versions';
import { Refusal, UsageError } from '../io.ts';
import { nodeFailure } from '../output/node-failure.ts';
import type { Session } from '../signing/session.ts';
import type { Link, Sources } from './sources.ts';

/**
 * Where the packages are that a package uses: as named, else the wallet's as the marketplace knows it.
 * @param named ids by the names in Move.toml, of any version of each package
 * @throws UsageError that lists what must still be named
 */
export async function linksOf(
  session: Session,
  { folder, uses }: Sources,
  named: ReadonlyMap<string, string>,
): Promise<Map<string, Link>> {
  const links = new Map<string, Link>();
  const { walletPackage, node } = session;
  if (walletPackage && uses.includes('wallet')) {
    links.set('wallet', { originalId: walletPackage.originalId, linkedId: walletPackage.calledId });
  }
  const missing = uses.filter((name) => !links.has(name) && !named.has(name));
  if (missing.length > 0) {
    const options = missing.map((name) => `--with ${name}=${node.local?.packages[name] ?? '<package id>'}`);
    throw new UsageError(
      `${folder} uses ${missing.join(', ')}, which must be on chain already. Say where: ${options.join(' ')}`,
    );
  }
  const versions = packageVersions(session.client);
  for (const [name, linkedId] of named) {
    const original = await versions.originalOf(linkedId);
    if (original.status === 'unavailable') {
      throw new Refusal(`The node does not answer: ${nodeFailure(original.reason)}. Try again.`);
    }
    if (original.status === 'absent') {
      throw new UsageError(`--with ${name}: ${session.network} has no package ${linkedId}.`);
    }
    links.set(name, { originalId: original.value, linkedId });
  }
  return links;
}
