import { categories, type ListedOp } from '@adaptor-marketplace/adaptor/manifest';
import { register, unlist, update } from '@adaptor-marketplace/adaptor/transactions';
import type { Draft, Inference, IntrospectedOp, Introspection } from '@adaptor-marketplace/sdk';
import { render } from 'preact';
import {
  adaptorPath,
  badge,
  type Html,
  html,
  notice,
  percent,
  plain,
  shortened,
  wholeId,
  wholeType,
} from '../../components/index.ts';
import { sourcePath } from '../../components/links.ts';
import { nameType } from '../../components/type-names.ts';
import { getInputValue, onSubmit } from '../api/form.ts';
import {
  ActionFailedError,
  allowOneAtATime,
  askApi,
  askGraph,
  createSigningAttempts,
  failureNotice,
  getAccount,
  sign,
  siteNetwork,
  toRefusal,
  waitForConnection,
} from '../signing/index.ts';
import { detailSelection, type ManifestDetails, toDetails } from './details.ts';
import { detailsPart } from './details-part.ts';
import {
  blankInput,
  buildDraftRequest,
  findFaults,
  type PublishInput,
  readCalls,
  readStoredInput,
  removeStoredInput,
  storeInput,
} from './draft.ts';
import { readListing } from './listing.ts';
import { sourceOfferPart } from './offer-source.ts';
import { preview } from './preview.ts';
import { draftReview, findDifferences } from './review.ts';
import { publishSample } from './sample.ts';
import { type ListingState, waitUntilListed } from './wait-listed.ts';

/** The form that lists an adaptor. Each part appears when the previous one is complete. */

const container = document.querySelector<HTMLElement>('#publish')!;
const isLocal = container.dataset.local === 'true';

interface OwnListing {
  serviceType: string;
  status: string;
  reason: string | null;
  registered: { packageId: string; version: number };
  adaptor: {
    manifest: {
      name: string;
      summary: string;
      category: string;
      json: { ops: readonly ListedOp[] };
    } & ManifestDetails;
  } | null;
}

let entered = readStoredInput();
let introspection: Introspection | undefined;
let pastCalls = new Map<string, Inference>();
let draft: Draft | undefined;
/** `true` while a draft of the input is due or requested. */
let isDrafting = false;
/** The publisher's listings. The publisher is the account that was connected when they were read. */
let own: { publisher: string | undefined; listings: readonly OwnListing[] } = {
  publisher: undefined,
  listings: [],
};
/** The listing that this page published, with its state in the catalog. */
let listed:
  | {
      shown: ListingState;
      digest: string;
      name: string;
      serviceType: string;
      packageId: string;
      /** `true` if the manifest names a commit, which the marketplace fetches by itself. */
      namesSource: boolean;
    }
  | undefined;
/** Names of the fields that the reader has changed. */
let changedFields = new Set<string>();

function enter(changes: Partial<PublishInput>): void {
  entered = { ...entered, ...changes };
  for (const name of Object.keys(changes)) changedFields.add(name);
  storeInput(entered);
  scheduleDraft();
  show();
}

const attempts = createSigningAttempts(show);

const introspect = () =>
  attempts.run('Reading the package…', async () => {
    draft = undefined;
    introspection = undefined;
    pastCalls = new Map();
    const body = { packageId: entered.packageId.trim(), network: siteNetwork };
    introspection = await askApi<Introspection>('/api/adaptors/introspect', body);
    if (!introspection.witnesses.some(({ serviceType }) => serviceType === entered.witness))
      entered.witness = '';
    if (introspection.witnesses.length === 1) entered.witness = introspection.witnesses[0]!.serviceType;
    storeInput(entered);
    scheduleDraft();
  });

const readPastCalls = (op: IntrospectedOp) =>
  attempts.run('Reading past calls…', async () => {
    const { module, entry } = op;
    const body = { packageId: entered.packageId.trim(), entry: `${module}::${entry}`, network: siteNetwork };
    pastCalls.set(`${module}::${entry}`, await askApi<Inference>('/api/adaptors/infer', body));
  });

const typingMs = 500;
let typing: ReturnType<typeof setTimeout> | undefined;
let requestNumber = 0;

/** Requests a draft for the preview and its warnings, 500 ms after the last input. The host does not store this draft. */
function scheduleDraft(): void {
  clearTimeout(typing);
  requestNumber += 1;
  isDrafting = false;
  if (!introspection || entered.witness === '' || Object.keys(findFaults(entered)).length > 0) {
    draft = undefined;
    return;
  }
  isDrafting = true;
  const ownNumber = requestNumber;
  typing = setTimeout(async () => {
    try {
      const sender = getAccount()?.address;
      const body = { ...buildDraftRequest(entered, siteNetwork), ...(sender && { sender }) };
      const answer = await askApi<Draft>('/api/adaptors/draft', body);
      if (ownNumber !== requestNumber) return;
      draft = answer;
      attempts.failure = '';
    } catch (error) {
      if (ownNumber !== requestNumber) return;
      draft = undefined;
      attempts.failure = failureNotice(toRefusal(error));
    }
    isDrafting = false;
    show();
  }, typingMs);
}

const publish = allowOneAtATime(() =>
  attempts.run('Storing the manifest…', async () => {
    const [sender, shown, input] = [getAccount()!.address, draft!, entered];
    const body = { ...buildDraftRequest(entered, siteNetwork), upload: true, sender };
    const stored = await askApi<Draft>('/api/adaptors/draft', body);
    if (entered !== input)
      throw new ActionFailedError(
        'The form was changed while the manifest was stored',
        'Nothing was signed. Read the preview of the new input, and sign then.',
      );
    const differences = findDifferences(shown, stored);
    draft = stored;
    if (differences.length > 0)
      throw new ActionFailedError(
        'The draft is not the one that you saw',
        `It differs in ${differences.join(', ')}. Nothing was signed. Read the preview, which is of the new draft, and sign then.`,
      );
    const { manifest, manifestHash, manifestUri, serviceType } = stored;
    const isUpdate = stored.update !== undefined;
    const listing = { serviceType, packageId: manifest.packageId, manifestUri: manifestUri!, manifestHash };
    const executed = await sign({
      title: `${isUpdate ? 'Update' : 'Publish'} ${manifest.name}`,
      signer: sender,
      consequence: html`<p>The registry stores the hash of your manifest, and you as its publisher. Everyone can read it. You can update or unlist it later, each with one signature.</p>
        ${manifest.feeBps === undefined ? '' : html`<p>Its fee is ${percent(manifest.feeBps)} of the amount.</p>`}
        ${manifest.feeRecipient === undefined ? '' : html`<p>Its fee goes to ${wholeId(manifest.feeRecipient)}.</p>`}
        <dl class="facts"><dt>Service</dt><dd>${wholeType(serviceType)}</dd><dt>Package</dt><dd>${wholeId(listing.packageId)}</dd>
          <dt>Manifest</dt><dd><code>${manifestUri}</code></dd><dt>Hash</dt><dd><code class="whole">${manifestHash}</code></dd></dl>`,
      append: (tx, { registry }) => {
        // register() takes only the package that defined the service type, so an upgraded one follows as an update.
        const packageId = serviceType.split('::')[0]!;
        if (!isUpdate) register(tx, registry, { ...listing, packageId });
        if (isUpdate || packageId !== listing.packageId) update(tx, registry, listing);
      },
      after: html`<p>${manifest.name} is in the registry. Close this to see it come into the catalog.</p>`,
    });
    if (!executed) return;
    attempts.busy = 'Waiting until the catalog lists it…';
    show();
    const state = await waitUntilListed(() => readListing(serviceType, sender), manifestHash);
    listed = {
      shown: state,
      digest: executed.digest,
      name: manifest.name,
      serviceType,
      packageId: listing.packageId,
      namesSource: manifest.source !== undefined,
    };
    if (state.status === 'SHOWN') removeStoredInput();
    await readOwn();
  }),
);

async function readOwn(): Promise<void> {
  const sender = getAccount()?.address;
  own = { publisher: sender, listings: [] };
  if (sender === undefined) return;
  const { publisher } = await askGraph<{ publisher: { listings: { edges: { node: OwnListing }[] } } | null }>(
    `query ($chain: Chain, $address: String!) { publisher(chain: $chain, address: $address) { listings(first: 50) { edges { node {
      serviceType status reason registered { packageId version } adaptor { manifest { name summary category json ${detailSelection} } } } } } } }`,
    { address: sender },
  );
  // Another account was connected meanwhile. Its event reads its listings.
  if (own.publisher !== sender) return;
  const all = publisher?.listings.edges.map(({ node }) => node) ?? [];
  own = { publisher: sender, listings: all.filter(({ status }) => status !== 'UNLISTED') };
}

const edit = ({ serviceType, registered, adaptor }: OwnListing) => {
  const { name = '', summary = '', category = '', json, ...rest } = adaptor?.manifest ?? {};
  const described = { name, summary, category, details: toDetails(rest), ...readCalls(json) };
  entered = { ...blankInput, packageId: registered.packageId, witness: serviceType, ...described };
  listed = undefined;
  storeInput(entered);
  introspect();
};

const remove = allowOneAtATime((publisher: string | undefined, { serviceType, adaptor }: OwnListing) =>
  attempts.run('', async () => {
    const name = adaptor?.manifest.name ?? serviceType.split('::').at(-1)!;
    const executed = await sign({
      title: `Unlist ${name}`,
      signer: publisher,
      consequence: html`<p>${wholeType(serviceType)}</p><p>It leaves the catalog. Wallets that granted to it keep their grants: tell your users to revoke them. You can list it again, and its versions go on.</p>`,
      append: (tx, { registry }) => unlist(tx, registry, serviceType),
      after: html`<p>${name} is no longer listed.</p>`,
    });
    if (executed) await readOwn();
  }),
);

function startAgain(): void {
  removeStoredInput();
  entered = { ...blankInput, values: {} };
  [introspection, draft, listed] = [undefined, undefined, undefined];
  attempts.failure = '';
  changedFields = new Set();
  show();
}

/** Renders a field with its label and its hint. A fault replaces the hint once the field has a text or was changed. */
function renderField(
  name: 'packageId' | 'name' | 'summary' | 'category' | 'objects',
  label: string,
  hint: Html,
  control: (attributes: object) => Html,
): Html {
  const fault = changedFields.has(name) || entered[name] !== '' ? findFaults(entered)[name] : undefined;
  const attributes = {
    id: name,
    name,
    value: entered[name],
    'aria-describedby': `${name}-hint`,
    'aria-invalid': fault === undefined ? undefined : 'true',
    onInput: (event: Event) => enter({ [name]: getInputValue(event) }),
  };
  return html`<label for=${name}>${label}</label>${control(attributes)}
    <p id=${`${name}-hint`} class=${fault === undefined ? 'hint' : 'danger'}>${fault ?? hint}</p>`;
}

function renderPackagePart(): Html {
  const fault = findFaults(entered).packageId;
  const sample = allowOneAtATime(() =>
    attempts.run('', async () => {
      const packageId = await publishSample();
      if (packageId === undefined) return;
      enter({
        ...blankInput,
        packageId,
        name: 'Pocket Money',
        summary: 'Pays an allowance from a wallet to an address of your choice.',
        category: 'Other',
        values: { 'pocket_money::pay': ['recipient'] },
      });
      await introspect();
    }),
  );
  return html`<section class="part" aria-labelledby="package-title"><h2 id="package-title">1. Package</h2>
    <form class="fields" onSubmit=${onSubmit(() => fault === undefined && introspect())}>
      ${renderField('packageId', 'Package id', 'Of the package as published. Your address must have published it, or own its UpgradeCap, to be shown as verified.', (attributes) => html`<input type="text" ...${attributes} maxlength="66" placeholder="0x…" autocomplete="off" spellcheck="false" class="mono" />`)}
      <p class="actions"><button type="submit" disabled=${fault !== undefined || attempts.busy !== ''}>Inspect the package</button>
      ${isLocal ? html`<button type="button" class="quiet" disabled=${attempts.busy !== ''} ...${getAccount() ? { onClick: sample } : connectAttributes}>Publish the sample package</button>` : ''}</p>
      ${isLocal ? html`<p class="hint">No package of your own? The sample is a small adaptor that pays from a wallet. You publish it with one signature, and list it as yours.</p>` : ''}
    </form></section>`;
}

/** Attributes of buttons that do what the connect button in the header does. */
const connectAttributes = { 'data-connect': true };

function renderPastCalls(op: IntrospectedOp): Html {
  const known = pastCalls.get(`${op.module}::${op.entry}`);
  if (!known)
    return html`<button type="button" class="quiet small" disabled=${attempts.busy !== ''} onClick=${() => readPastCalls(op)}>Past calls</button>`;
  if (known.samples === 0) return html`<p class="muted">It has no calls yet.</p>`;
  const shownArgs = op.params.filter(({ role }) => role !== 'ctx');
  const rows = known.args.map((one, at) => {
    const used = [
      ...one.objectCandidates.map(({ objectId, count }) => ({ text: shortened(objectId), count })),
      ...one.pureCandidates.map((candidate) => ({
        text: 'bytes' in candidate ? candidate.bytes : JSON.stringify(candidate.value),
        count: candidate.count,
      })),
    ];
    return used.length === 0
      ? ''
      : html`<tr><td>${shownArgs[at]?.name ?? shownArgs[at]?.role}</td><td>${used.slice(0, 3).map(({ text, count }) => html`<p><code>${text}</code> <span class="muted">${count} of ${known.samples}</span></p>`)}</td></tr>`;
  });
  return html`<div class="scroll"><table><thead><tr><th scope="col">Argument</th><th scope="col">Used in ${known.samples} past calls</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function renderOperation(op: IntrospectedOp): Html {
  const shown = op.params.filter(({ role }) => role !== 'ctx');
  const name = `${op.module}::${op.entry}`;
  const open = shown.filter(({ role }) => role === 'pure');
  const names = entered.values[name] ?? open.map((one) => one.name ?? '');
  const rename = (at: number) => (event: Event) => {
    const next = open.map((_, index) => names[index] ?? '');
    next[at] = getInputValue(event);
    enter({ values: { ...entered.values, [name]: next } });
  };
  let pure = -1;
  const rows = shown.map((one) => {
    if (one.role === 'pure') pure += 1;
    const at = pure;
    const asName = html`<input type="text" aria-label=${`Name of the value ${at + 1} of ${name}`} value=${names[at] ?? ''} placeholder="name for callers" maxlength="64" onInput=${rename(at)} />`;
    return html`<tr><td>${one.role === 'pure' ? 'value' : one.role}</td><td><code title=${one.type}>${nameType(one.type)}</code></td><td>${one.role === 'pure' ? asName : (one.name ?? '')}</td><td>${one.confidence}</td></tr>`;
  });
  return html`<li class="op"><h3><code>${name}</code> ${op.executable ? badge('good', 'Complete call') : badge('neutral', 'Not executable')}</h3>
    ${op.executable ? '' : html`<p class="muted">${op.reason?.detail}</p>`}
    ${op.executable ? html`<div class="scroll"><table><thead><tr><th scope="col">Role</th><th scope="col">Type</th><th scope="col">Name</th><th scope="col">Certainty</th></tr></thead><tbody>${rows}</tbody></table></div>${renderPastCalls(op)}` : ''}
  </li>`;
}

function renderReviewPart({ witnesses, ops }: Introspection): Html {
  const chosen = witnesses.find(({ serviceType }) => serviceType === entered.witness);
  const used = ops.filter(
    ({ touchesWallet, module }) => touchesWallet && (!chosen || module === chosen.module),
  );
  const options = witnesses.map(
    ({ serviceType, module, name }) =>
      html`<label class="choice"><input type="radio" name="witness" value=${serviceType} checked=${serviceType === entered.witness} onChange=${() => enter({ witness: serviceType })} /> <code title=${serviceType}>${module}::${name}</code></label>`,
  );
  const none = notice(
    'danger',
    'This package has no witness',
    html`<p>A service is named by a struct without fields whose only ability is <code>drop</code>. Add one, publish the package again, and inspect that.</p>`,
  );
  return html`<section class="part" aria-labelledby="review-title"><h2 id="review-title">2. Review what was found</h2>
    <fieldset class="choices"><legend>Witness, which names the service in wallets’ grants</legend>${witnesses.length === 0 ? none : options}</fieldset>
    ${(chosen?.warnings ?? []).map(({ detail, code }) => notice('danger', 'Warning about the witness', html`<p>${detail} (<code>${code}</code>)</p>`))}
    <h3>Operations on a wallet</h3>
    ${used.length === 0 ? html`<p class="muted">No function takes a wallet. The listing has no operations that wallets can call.</p>` : html`<ul class="ops">${used.map(renderOperation)}</ul>`}
    <div class="fields">${renderField('objects', 'Shared objects that the operations use', 'Ids, one for each line, where past calls do not settle it. Leave it empty if there are none.', (attributes) => html`<textarea ...${attributes} rows="2" spellcheck="false" class="mono"></textarea>`)}</div>
  </section>`;
}

function renderDescribePart(): Html {
  return html`<section class="part" aria-labelledby="describe-title"><h2 id="describe-title">3. Describe</h2>
    <div class="fields">
      ${renderField('name', 'Name', 'As the catalog shows it.', (attributes) => html`<input type="text" ...${attributes} autocomplete="off" />`)}
      ${renderField('summary', 'Summary', 'One sentence: what it does for a wallet.', (attributes) => html`<textarea ...${attributes} rows="2"></textarea>`)}
      ${renderField('category', 'Category', `One of ${categories.join(', ')}, or your own. Empty: guessed from the operations.`, (attributes) => html`<input type="text" ...${attributes} list="categories" autocomplete="off" /><datalist id="categories">${categories.map((one) => html`<option value=${one}></option>`)}</datalist>`)}
    </div>
    ${detailsPart(entered.details, (details) => enter({ details }))}
    <h3>Preview</h3>${preview(entered, draft, getAccount()?.address ?? '0x0')}${draftReview(draft)}</section>`;
}

function renderSignPart(): Html {
  const who = getAccount();
  const label = draft?.update ? 'Update adaptor' : 'Publish adaptor';
  const isReady = draft !== undefined && !isDrafting && attempts.busy === '';
  return html`<section class="part" aria-labelledby="sign-title"><h2 id="sign-title">4. Sign</h2>
    <p>The manifest is stored on Walrus first, which costs you nothing. Then you sign one transaction: <code>registry::${draft?.update ? 'update' : 'register'}</code>.</p>
    <p class="actions">${who ? html`<button type="button" disabled=${!isReady} onClick=${publish}>${label}</button> <span class="muted">as ${shortened(who.address)} in ${who.wallet}</span>` : html`<button type="button" data-connect>Connect a wallet to sign</button>`}</p>
    ${draft ? '' : html`<p class="muted">Complete the fields above first.</p>`}</section>`;
}

function renderListedPart(): Html {
  if (!listed) return '';
  const { shown, name, serviceType, digest, packageId, namesSource } = listed;
  const again = html`<button type="button" class="quiet" onClick=${startAgain}>Publish another</button>`;
  const publisher = getAccount()?.address;
  const body =
    shown.status === 'SHOWN'
      ? html`${notice('good', `${name} is in the catalog`, html`<p>Version ${shown.version} is verified: its manifest has the hash that is on chain, and you are its publisher.</p>`)}
        <p class="actions"><a class="button" href=${adaptorPath(siteNetwork, serviceType)}>See the listing</a>${again}</p>
        ${namesSource ? '' : sourceOfferPart({ packageId, path: sourcePath(siteNetwork, serviceType, publisher === undefined ? {} : { publisher }) }, attempts)}`
      : html`${notice('caution', `${name} is registered, but the catalog does not show it`, html`<p>${shown.reason ?? 'The index has not judged it yet.'}</p><p>You can go on: the catalog shows it as soon as the reason is gone. Others find it with “Include unverified”.</p>`)}
        <p class="actions"><a class="button quiet" href=${adaptorPath(siteNetwork, serviceType, publisher)}>See the listing</a>${again}</p>`;
  return html`<section class="part" aria-labelledby="listed-title"><h2 id="listed-title" tabindex="-1">5. Listed</h2>${body}<p class="muted">Transaction <code class="digest">${digest}</code></p></section>`;
}

function renderOwnPart(): Html {
  const { publisher, listings } = own;
  if (listings.length === 0) return '';
  const rows = listings.map(
    (
      one,
    ) => html`<li class="allowed"><div><h3>${renderAdaptorLink(one)} ${one.status === 'SHOWN' ? badge('good', 'Listed') : badge('caution', 'Not shown')}</h3>
      <p class="muted">Version ${one.registered.version}. ${one.reason ?? ''}</p></div>
      <p class="actions"><button type="button" class="quiet" disabled=${attempts.busy !== ''} onClick=${() => edit(one)}>Update</button><button type="button" class="quiet" disabled=${attempts.busy !== ''} onClick=${() => remove(publisher, one)}>Unlist</button></p></li>`,
  );
  return html`<section class="part"><h2>What you have listed</h2><ul>${rows}</ul></section>`;
}

const renderAdaptorLink = ({ serviceType, adaptor, status }: OwnListing) =>
  html`<a href=${adaptorPath(siteNetwork, serviceType, status === 'SHOWN' ? undefined : getAccount()?.address)}>${plain(adaptor?.manifest.name ?? serviceType.split('::').at(-1)!)}</a>`;

function show(): void {
  const step = listed ? 4 : draft ? 3 : introspection && entered.witness !== '' ? 2 : introspection ? 1 : 0;
  for (const [at, item] of document.querySelectorAll('#steps li').entries()) {
    if (at === step) item.setAttribute('aria-current', 'step');
    else item.removeAttribute('aria-current');
    item.classList.toggle('done', at < step);
  }
  const parts = listed
    ? renderListedPart()
    : html`${renderPackagePart()}${introspection ? renderReviewPart(introspection) : ''}${introspection && entered.witness !== '' ? html`${renderDescribePart()}${renderSignPart()}` : ''}`;
  const content = html`${attempts.status()}${parts}${renderOwnPart()}`;
  render(content as never, container);
}

document.addEventListener('wallet', () => {
  scheduleDraft();
  readOwn().then(show, () => undefined);
});
container.replaceChildren();
show();
await waitForConnection();
await readOwn().catch(() => undefined);
show();
if (findFaults(entered).packageId === undefined) await introspect();
