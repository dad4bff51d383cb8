import type { HeldUpdate, HeldUpdates } from '@adaptor-marketplace/sdk';
import { adaptorPath, type Html, html, shortened } from '../../components/index.ts';
import { type Attempts, siteNetwork } from '../signing/index.ts';
import { askAgent } from './session.ts';

/** Reads the updates of adaptors that the agent does not run for the wallet until its owner has confirmed them. */
export async function readHeldUpdates(walletId: string): Promise<HeldUpdate[]> {
  const query = new URLSearchParams({ walletId, network: siteNetwork });
  return (await askAgent<HeldUpdates>(`updates?${query}`)).updates;
}

/** Renders the updates, each with a button that confirms it and then calls `onConfirmed`. Empty if there are none. */
export function heldUpdatesPart(
  updates: readonly HeldUpdate[],
  {
    walletId,
    attempts,
    onConfirmed,
  }: { walletId: string; attempts: Attempts; onConfirmed: () => Promise<void> },
): Html | '' {
  if (updates.length === 0) return '';
  const confirm = ({ serviceType, version }: HeldUpdate) =>
    attempts.run('Confirming…', async () => {
      await askAgent('updates', { network: siteNetwork, walletId, serviceType, version });
      await onConfirmed();
    });
  const rows = updates.map((update) => {
    const { serviceType, version, heldSince, state } = update;
    const [id, module, name] = serviceType.split('::') as [string, string, string];
    const changes = `${adaptorPath(siteNetwork, serviceType)}#warnings`;
    const reason =
      state === 'pending'
        ? `Version ${heldSince} is not compared with the one before it yet.`
        : `Since version ${heldSince} its code may do more than before.`;
    return html`<tr><td><a href=${changes}>${shortened(id)}::${module}::${name}</a></td><td>${reason}</td>
      <td><button type="button" class="quiet" disabled=${attempts.busy !== ''} onClick=${() => confirm(update)}>Confirm version ${version}</button></td></tr>`;
  });
  return html`<section class="part" id="held"><h2>Updates that wait for you</h2>
    <p>The agent does not run these adaptors for this wallet until you confirm what their code may do now. Read it first.</p>
    <table><thead><tr><th scope="col">Adaptor</th><th scope="col">Reason</th><th scope="col"></th></tr></thead><tbody>${rows}</tbody></table></section>`;
}
