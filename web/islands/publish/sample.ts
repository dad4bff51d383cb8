import { html } from '../../components/html.ts';
import { askApi } from '../api/ask.ts';
import { getAccount } from '../signing/connection.ts';
import { sign } from '../signing/sign.ts';

/**
 * Publishes the sample package of a local network.
 * @returns its id; undefined if the reader did not sign
 */
export async function publishSample(): Promise<string | undefined> {
  const signer = getAccount()!.address;
  const { modules, dependencies } = await askApi<{ modules: string[]; dependencies: string[] }>(
    '/publish/sample-package.json',
  );
  const executed = await sign({
    title: 'Publish the sample package',
    signer,
    consequence: html`<p>Its code goes on the local network, and its UpgradeCap to you. This makes you its publisher.</p>`,
    append(tx) {
      const upgradeCap = tx.publish({ modules, dependencies });
      tx.transferObjects([upgradeCap], signer);
    },
    after: html`<p>The package is published. Close this to list it.</p>`,
  });
  return executed?.packageId;
}
