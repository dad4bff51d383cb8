import { code } from '../components/code.ts';
import { html } from '../components/html.ts';
import type { Content, PageRequest } from '../frame/page.ts';

const steps = ['Package', 'Review', 'Describe', 'Sign', 'Listed'] as const;

const cli = `npx adaptor-marketplace introspect <package id>
npx adaptor-marketplace draft <package id> --name 'Nest Egg' --summary '…' --upload --save draft.json
npx adaptor-marketplace register --draft draft.json`;

/** The page with the form that lists an adaptor. The form needs script, because a wallet signs the listing. */
export const publishPage = ({ node, network }: PageRequest): Content => ({
  title: 'Publish an adaptor',
  description:
    'List your Move package in the on-chain registry: from its package id to the catalog, signed by you.',
  section: 'publish',
  islands: ['publish'],
  main: html`<h1>Publish an adaptor</h1>
    <p class="lead">From a package id to the catalog. You sign the listing, and it stays yours to change.</p>
    <ol class="stepper" id="steps">${steps.map((name, at) => html`<li aria-current=${at === 0 ? 'step' : undefined}><span class="number">${at + 1}</span> ${name}</li>`)}</ol>
    <div id="publish" data-local=${String(node.faucetUrl !== undefined)}>
      <div class="box" data-script><p data-loading>Loading the form…</p></div>
      <noscript><div class="box">
        <p>Publishing in the browser needs script, for your wallet signs at its end. The command line does the same on ${network}, with your key in a file of yours:</p>
        ${code(cli)}
      </div></noscript>
    </div>
    <section class="text">
      <h2>What a listing is</h2>
      <p>A listing names a package, its witness and a manifest, which says what its operations take and give. The registry stores the hash of the manifest, so nobody can change what wallets read without your signature. Only the publisher of the package is shown as verified.</p>
      <p><a href="/docs/build-an-adaptor">Build an adaptor</a> step by step with the command line.</p>
    </section>`,
});
