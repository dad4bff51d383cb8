import { wallet } from '@adaptor-marketplace/adaptor/transactions';
import { counted, type Html, html, plain, wholeType } from '../../components/index.ts';
import { revokedMax } from '../../words/allowance.ts';
import { ActionFailedError, type Request } from '../signing/index.ts';
import { listAllowances, type PresentGrant, readGrants } from './grants.ts';

function renderService(service: string, grants: readonly PresentGrant[]): Html {
  const own = grants.filter(({ serviceType }) => serviceType === service);
  const name = own[0]?.adaptor?.manifest.name;
  return html`<li>${name === undefined ? '' : html`<p><strong>${plain(name)}</strong></p>`}${wholeType(service)}
    ${own.length === 0 ? '' : html`<p>These grants end:</p>${listAllowances(own)}`}</li>`;
}

/**
 * Builds the request to revoke services in one transaction. It shows each grant that ends, also those that the page
 * does not list.
 * @param name services in words; default: their number
 * @throws ActionFailedError without a service, or with too many
 */
export async function buildRevokeRequest(
  services: readonly string[],
  target: { packageId: string; wallet: string },
  name = counted(services.length, 'service'),
): Promise<Omit<Request, 'signer'>> {
  if (services.length === 0)
    throw new ActionFailedError('No service is selected', 'Select those that you want to revoke.');
  if (services.length > revokedMax)
    throw new ActionFailedError(
      `${services.length} services are too many for one transaction`,
      `Select at most ${revokedMax}.`,
    );
  const grants = await readGrants(target.wallet);
  const [they, keep] = services.length === 1 ? ['it', 'it keeps'] : ['they', 'they keep'];
  return {
    title: `Revoke ${name}`,
    consequence: html`<ul class="list">${services.map((service) => renderService(service, grants))}</ul>
      <p>From then on ${they} can take nothing from this wallet. What ${keep} for you elsewhere stays there: take that out first, or grant again to get it.</p>`,
    append: (tx) => {
      for (const service of services) wallet.revokeService(tx, target, service);
    },
    after: html`<p>${services.length === 1 ? 'It' : 'They'} can no longer take anything. You can grant again from the adaptor’s page.</p>`,
  };
}
