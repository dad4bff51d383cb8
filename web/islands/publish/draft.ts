import { readStoredJson, store } from '../api/storage.ts';
import { type Details, detailFaults, enteredDetails, noDetails } from './details.ts';

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

export const blank: PublishInput = {
  packageId: '',
  witness: '',
  name: '',
  summary: '',
  category: '',
  objects: '',
  values: {},
  details: noDetails,
};

const key = 'publish-draft';

/** Reads the stored input. A field whose type does not match, such as one of an older version, becomes blank. */
export function readEntered(): PublishInput {
  const stored = readStoredJson<Record<string, unknown>>(key) ?? {};
  const texts = Object.entries(blank).map(([name, none]) =>
    typeof stored[name] === typeof none && stored[name] !== null ? [name, stored[name]] : [name, none],
  );
  const entered: PublishInput = Object.fromEntries(texts);
  return { ...entered, details: { ...noDetails, ...entered.details } };
}

export const storeEntered = (entered: PublishInput): void => store(key, JSON.stringify(entered));
export const forgetEntered = (): void => store(key, undefined);

const packageForm = /^0x[0-9a-fA-F]{1,64}$/;

/** Returns what is wrong with each field, in words. A valid field is absent. */
export function findFaults(entered: PublishInput): Partial<Record<keyof PublishInput, string>> {
  const { packageId, name, summary, objects, category, details } = entered;
  return {
    ...(!packageForm.test(packageId.trim()) && { packageId: 'A package id is 0x and up to 64 hex digits.' }),
    ...(name.trim() === '' && { name: 'Give it a name.' }),
    ...(name.length > 128 && { name: `A name has at most 128 characters; this one has ${name.length}.` }),
    ...(summary.trim() === '' && { summary: 'Say in a sentence what it does for a wallet.' }),
    ...(summary.length > 2_048 && {
      summary: `A summary has at most 2,048 characters; this one has ${summary.length}.`,
    }),
    ...([...category].length > 40 && { category: 'A category has at most 40 characters.' }),
    ...(idsIn(objects).some((id) => !packageForm.test(id)) && {
      objects: 'Each is 0x and up to 64 hex digits.',
    }),
    ...(idsIn(objects).length > 32 && { objects: 'At most 32 objects.' }),
    ...(Object.keys(detailFaults(details)).length > 0 && { details: 'One of the optional fields is wrong.' }),
  };
}

const idsIn = (text: string): string[] => text.split(/[\s,]+/).filter((id) => id !== '');

export function draftRequest(
  { packageId, witness, name, summary, category, objects, values, details }: PublishInput,
  network: string,
) {
  const named = Object.entries(values).filter(
    ([, names]) => names.length > 0 && names.every((one) => one.trim() !== ''),
  );
  return {
    packageId: packageId.trim(),
    network,
    name: name.trim(),
    summary: summary.trim(),
    ...(witness !== '' && { witness }),
    ...(category.trim() !== '' && { category: category.trim() }),
    ...enteredDetails(details),
    objects: idsIn(objects),
    values: Object.fromEntries(named),
  };
}
