import { isExecutable, type ListedOp, listOpSteps } from '@adaptor-marketplace/adaptor/manifest';
import { readStoredJson, store } from '../api/storage.ts';
import { type Details, findDetailFaults, noDetails, toManifestDetails } from './details.ts';

/** Form input of a publisher. The browser stores it across reloads; it holds no secret. */
export interface PublishInput {
  packageId: string;
  /** Service type. If it is empty, the package must have exactly one. */
  witness: string;
  name: string;
  summary: string;
  category: string;
  /** Ids, separated by spaces or lines. */
  objects: string;
  /** Names of the values that callers provide, by `module::function`. */
  values: Record<string, string[]>;
  details: Details;
}

export const blankInput: PublishInput = {
  packageId: '',
  witness: '',
  name: '',
  summary: '',
  category: '',
  objects: '',
  values: {},
  details: noDetails,
};

const storageKey = 'publish-draft';

/** Reads the stored input. A field that is missing or of another type, as another version stored it, is blank. */
export function readStoredInput(): PublishInput {
  const stored = readStoredJson<Record<string, unknown>>(storageKey) ?? {};
  const fields = Object.entries(blankInput).map(([name, blank]) =>
    typeof stored[name] === typeof blank && stored[name] !== null ? [name, stored[name]] : [name, blank],
  );
  const entered: PublishInput = Object.fromEntries(fields);
  return { ...entered, details: { ...noDetails, ...entered.details } };
}

export const storeInput = (entered: PublishInput): void => store(storageKey, JSON.stringify(entered));
export const removeStoredInput = (): void => store(storageKey, undefined);

const objectsMax = 32;
const idPattern = /^0x[0-9a-fA-F]{1,64}$/;

/** Returns what is wrong with each field, in words. A valid field is absent. */
export function findFaults(entered: PublishInput): Partial<Record<keyof PublishInput, string>> {
  const { packageId, name, summary, objects, category, details } = entered;
  return {
    ...(!idPattern.test(packageId.trim()) && { packageId: 'A package id is 0x and up to 64 hex digits.' }),
    ...(name.trim() === '' && { name: 'Give it a name.' }),
    ...(name.length > 128 && { name: `A name has at most 128 characters; this one has ${name.length}.` }),
    ...(summary.trim() === '' && { summary: 'Say in a sentence what it does for a wallet.' }),
    ...(summary.length > 2_048 && {
      summary: `A summary has at most 2,048 characters; this one has ${summary.length}.`,
    }),
    ...([...category].length > 40 && { category: 'A category has at most 40 characters.' }),
    ...(splitIds(objects).some((id) => !idPattern.test(id)) && {
      objects: 'Each is 0x and up to 64 hex digits.',
    }),
    ...(splitIds(objects).length > objectsMax && { objects: `At most ${objectsMax} objects.` }),
    ...(Object.keys(findDetailFaults(details)).length > 0 && {
      details: 'One of the optional fields is wrong.',
    }),
  };
}

const splitIds = (text: string): string[] => text.split(/[\s,]+/).filter((id) => id !== '');

export function buildDraftRequest(
  { packageId, witness, name, summary, category, objects, values, details }: PublishInput,
  network: string,
) {
  const complete = Object.entries(values).filter(
    ([, names]) => names.length > 0 && names.every((one) => one.trim() !== ''),
  );
  return {
    packageId: packageId.trim(),
    network,
    name: name.trim(),
    summary: summary.trim(),
    ...(witness !== '' && { witness }),
    ...(category.trim() !== '' && { category: category.trim() }),
    ...toManifestDetails(details),
    objects: splitIds(objects),
    values: Object.fromEntries(complete),
  };
}

/**
 * Reads the objects and the names of values that a listing's calls have, so that an update begins with them. The names of an
 * op are read if it is one call that leaves all its values open, as the form writes them.
 * @param manifest as published, in the catalog; undefined for a listing that the catalog does not show
 */
export function readCalls(
  manifest: { ops: readonly ListedOp[] } | undefined,
): Pick<PublishInput, 'objects' | 'values'> {
  const calls = (manifest?.ops ?? []).filter(isExecutable).map((op) => ({
    name: `${op.module}::${op.entry}`,
    steps: listOpSteps(op),
  }));
  const ids = calls.flatMap(({ steps }) =>
    steps.flatMap(({ args }) => args.flatMap((one) => (one.role === 'object' ? [one.objectId] : []))),
  );
  const values = calls.flatMap(({ name, steps }) => {
    const pure = steps.flatMap(({ args }) => args.filter((one) => one.role === 'pure'));
    const names = pure.flatMap(({ name, value }) =>
      name === undefined || value !== undefined ? [] : [name],
    );
    const isOpen = steps.length === 1 && names.length === pure.length && names.length > 0;
    return isOpen ? [[name, names] as const] : [];
  });
  return {
    objects: [...new Set(ids)].slice(0, objectsMax).join('\n'),
    values: Object.fromEntries(values),
  };
}
