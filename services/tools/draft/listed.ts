import type { CatalogEntry } from '../../../db/queries/catalog/entry.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { type ProtocolStep, type Wanted, wantedOf } from '../../../lib/actions/requirements.ts';
import { type Slot, type SlotSetting, slotOf } from '../../../lib/actions/slots.ts';
import type { DraftNetwork } from '../options.ts';
import { type NameStep, refusal } from './grants.ts';

/** A step that goes to an adaptor, and that adaptor. */
export interface ListedStep {
  step: ProtocolStep;
  slot: Slot;
  wanted: Wanted;
  entry: CatalogEntry;
  /** What the slot's setting says of the adaptor; nothing of one that the request names. */
  named: Pick<SlotSetting, 'ops' | 'values'>;
}

/**
 * Finds the adaptors of all steps, in one read.
 * @throws ProblemError 422 where a slot is empty, or an adaptor is not in the catalog by its verified publisher
 */
export async function findListed(
  { network, slots, db }: Pick<DraftNetwork, 'network' | 'slots' | 'db'>,
  steps: readonly ProtocolStep[],
  named: NameStep,
): Promise<ListedStep[]> {
  if (steps.length === 0) return [];
  const asked = steps.map((step) => {
    const wanted = wantedOf(step);
    const slot = slotOf[step.action];
    const setting = slots[slot];
    const serviceType = wanted.adaptor ?? setting?.serviceType;
    if (serviceType === undefined) {
      throw named(step, refusal('slot_not_configured', `The slot is ${slot}.`));
    }
    const words = setting && serviceType === setting.serviceType ? setting : {};
    return { step, slot, wanted, serviceType, named: words };
  });
  const entries = await readEntries(
    db,
    asked.map(({ serviceType }) => ({ network, serviceType })),
  );
  return asked.map(({ serviceType, ...found }, place) => {
    const entry = entries[place];
    if (!isUsable(entry)) {
      throw named(found.step, refusal('adaptor_not_listed', `It is ${serviceType}.`));
    }
    return { ...found, entry };
  });
}

/** Only what the package's own publisher lists is called: anyone may register anyone's package. */
export function isUsable(entry: CatalogEntry | undefined): entry is CatalogEntry {
  return entry?.publisherVerified === true;
}
