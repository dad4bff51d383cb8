import { parseServiceType } from '../chain/names.ts';
import type { IntrospectedWitness, WitnessWarning } from '../introspect/types.ts';

/** The choice of a draft's service failed. */
export class WitnessUnresolvedError extends Error {
  readonly code: 'no_witness' | 'witness_not_found' | 'witness_not_usable' | 'several_witnesses';
  /** The service types to choose from. */
  readonly serviceTypes: string[];

  constructor(
    code: WitnessUnresolvedError['code'],
    message: string,
    witnesses: readonly IntrospectedWitness[],
  ) {
    super(message);
    this.name = 'WitnessUnresolvedError';
    this.code = code;
    this.serviceTypes = witnesses.map(({ serviceType }) => serviceType);
  }
}

/** Flaws that keep a service out of every catalog: its witness must be a plain struct with only drop. */
const unlistable: ReadonlySet<WitnessWarning['code']> = new Set([
  'witness_has_more_than_drop',
  'witness_not_usable',
]);

/**
 * Chooses the requested witness, else the only one that can be listed.
 * @param requested `Name`, `module::Name` or the service type
 * @throws WitnessUnresolvedError if there is none, or more than one
 */
export function chooseWitness(
  witnesses: readonly IntrospectedWitness[],
  requested: string | undefined,
): IntrospectedWitness {
  if (witnesses.length === 0) {
    const detail =
      'The package has no witness: a public struct without fields and type parameters whose only ability is drop.';
    throw new WitnessUnresolvedError('no_witness', detail, []);
  }
  const named = witnesses.filter((witness) => requested !== undefined && isNamed(witness, requested));
  const listable = witnesses.filter((witness) => findFlaws(witness).length === 0);
  const unnamed = listable.length > 0 ? listable : witnesses;
  const [witness, another] = requested === undefined ? unnamed : named;
  if (!witness) {
    const detail = 'The package has no witness of that name.';
    throw new WitnessUnresolvedError('witness_not_found', detail, witnesses);
  }
  if (another) {
    const detail = `The package has several witnesses${requested === undefined ? '' : ' of that name'}; name one by its service type.`;
    throw new WitnessUnresolvedError('several_witnesses', detail, witnesses);
  }
  const flaws = findFlaws(witness);
  if (flaws.length === 0) return witness;
  const detail = flaws.map((flaw) => flaw.detail).join(' ');
  throw new WitnessUnresolvedError('witness_not_usable', detail, witnesses);
}

const findFlaws = ({ warnings }: IntrospectedWitness) => warnings.filter(({ code }) => unlistable.has(code));

function isNamed({ module, name, serviceType }: IntrospectedWitness, requested: string): boolean {
  const parsed = parseServiceType(requested);
  return (
    requested === name ||
    requested === `${module}::${name}` ||
    ('canonical' in parsed && parsed.canonical === serviceType)
  );
}
