import { listOpSteps, manifestHash, type StepArgument } from '@adaptor-marketplace/adaptor/manifest';
import type { Draft } from '@adaptor-marketplace/sdk';
import {
  code,
  type Html,
  html,
  notice,
  plain,
  visibleJson,
  wholeId,
  wholeType,
} from '../../components/index.ts';

/** Warnings that the form answers by itself: it stores the manifest, chooses the calls, and simulates them. */
const settled: readonly string[] = [
  'manifest_not_stored',
  'already_listed',
  'transaction_not_built',
  'upgraded_package',
];

/** Returns the warnings of a draft that its publisher must read. */
const openWarnings = ({ warnings }: Pick<Draft, 'warnings'>): Draft['warnings'] =>
  warnings.filter(({ code }) => !settled.includes(code));

type Reviewed = Pick<Draft, 'manifest' | 'manifestHash' | 'serviceType' | 'update' | 'warnings'>;

/**
 * Compares the draft that will be signed with the one that its publisher saw. Past calls and listings can change between
 * the two.
 * @returns what differs, in words; empty if nothing does
 */
export function findDifferences(shown: Reviewed, stored: Reviewed): string[] {
  const [before, after] = [shown.manifest, stored.manifest].map(
    (manifest) => new Map(Object.entries(manifest).map(([name, value]) => [name, manifestHash(value)])),
  ) as [Map<string, string>, Map<string, string>];
  const fields = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  const known = new Set(openWarnings(shown).map(({ code, op }) => `${code} ${op}`));
  const warned = openWarnings(stored).filter(({ code, op }) => !known.has(`${code} ${op}`));
  return [
    ...fields.map((name) => `${name} of the manifest`),
    ...(shown.serviceType === stored.serviceType ? [] : ['the service']),
    ...(Boolean(shown.update) === Boolean(stored.update) ? [] : ['whether you list it for the first time']),
    ...warned.map((warning) => `a new warning (${warning.code})`),
    ...(manifestHash(stored.manifest) === stored.manifestHash
      ? []
      : ['the hash, which is not the manifest’s']),
  ];
}

/** Renders the operations and the whole manifest of a draft, with every id and type in full. */
export function manifestReview({ manifest }: Pick<Draft, 'manifest'>): Html {
  const ops = manifest.ops.map((op) => {
    const { module, entry, label, kind, intentMode } = op;
    const steps = listOpSteps(op).map(
      ({
        packageId,
        typeArgs,
        args,
        ...step
      }) => html`<li><code>${step.module}::${step.entry}</code> of ${packageId === undefined ? 'your package' : html`<strong>another package</strong>, ${wholeId(packageId)}`}
        ${typeArgs.length === 0 ? '' : html`<p>Types: ${joinItems(typeArgs.map(renderTypeArgument))}</p>`}
        <p>Arguments: ${joinItems(args.map(renderArgument))}</p></li>`,
    );
    return html`<li><strong>${plain(label ?? entry)}</strong> <span class="muted">${kind}, <code>${module}::${entry}</code>${intentMode === undefined ? '' : `, payment intent ${intentMode}`}</span><ol class="list">${steps}</ol></li>`;
  });
  return html`<h3>Operations in the manifest</h3>
    ${ops.length === 0 ? html`<p class="muted">None: wallets can grant to the service, and this site cannot call it.</p>` : html`<ul class="list">${ops}</ul>`}
    <details><summary>The whole manifest, whose hash you sign</summary>${code(visibleJson(JSON.stringify(manifest)), 'Copy the manifest')}</details>`;
}

const joinItems = (items: readonly Html[]): Html =>
  items.map((one, at) => html`${at === 0 ? '' : '; '}${one}`);

function renderTypeArgument(type: string): Html {
  if (type === 'coinIn') return 'the coin that is paid';
  if (type === 'coinOut') return 'the coin that is received';
  return wholeType(type);
}

function renderArgument(one: StepArgument): Html {
  switch (one.role) {
    case 'object':
      return html`object ${wholeId(one.objectId)}`;
    case 'pure': {
      const name = html`${plain(one.name ?? 'value')} (<code>${one.type}</code>)`;
      return one.value === undefined
        ? html`${name} from the caller`
        : html`${name} = <code>${visibleJson(JSON.stringify(one.value))}</code>`;
    }
    case 'result':
      return `result ${(one.index ?? 0) + 1} of call ${one.call + 1}`;
    default:
      return one.role;
  }
}

/** Renders the manifest and the warnings of a draft, for its publisher to review. */
export function draftReview(draft: Draft | undefined): Html {
  if (!draft) return '';
  return html`${manifestReview(draft)}
    ${openWarnings(draft).map(({ detail, code, op }) => notice('caution', 'Look at this', html`<p>${op === undefined ? '' : html`<code>${op}</code>: `}${detail} (<code>${code}</code>)</p>`))}`;
}
