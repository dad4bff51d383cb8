type DetailName =
  | 'docsUrl'
  | 'appUrl'
  | 'repoUrl'
  | 'auditUrl'
  | 'glyph'
  | 'integrator'
  | 'feeBps'
  | 'feeRecipient'
  | 'deprecated'
  | 'successor';

/** Optional manifest fields, as the publisher types them: the fee in percent. The manifest has basis points. */
export type Details = Record<DetailName, string>;

/** The optional fields of a manifest. */
export type ManifestDetails = {
  [Name in keyof Details]?: Name extends 'feeBps' ? number | null : string | null;
};

interface Field {
  label: string;
  hint: string;
  placeholder?: string;
  /** Returns what is wrong with a text that is not empty; undefined if it is valid. */
  fault(text: string): string | undefined;
}

const urlMax = 2_048;

function urlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'Not a web address. Enter it whole, such as https://example.org/docs.';
  const { protocol, username } = new URL(text);
  if (protocol !== 'https:') return 'The catalog links to https:// addresses only.';
  if (username !== '') return 'Remove the user name from the address.';
  if (text.length > urlMax) return `An address has at most 2,048 characters; this one has ${text.length}.`;
  return undefined;
}

const link = (label: string, what: string): Field => ({
  label,
  hint: `Address of ${what}.`,
  placeholder: 'https://…',
  fault: urlFault,
});

const atMost = (max: number) => (text: string) =>
  text.length > max ? `At most ${max} characters; this has ${text.length}.` : undefined;

/** Optional fields in the order of the form. */
export const detailFields: Readonly<Record<keyof Details, Field>> = {
  docsUrl: link('Documentation', 'its guide'),
  appUrl: link('App', 'a site that uses it'),
  repoUrl: link('Source code', 'its repository'),
  auditUrl: link('Audit', 'the report of its last audit'),
  glyph: {
    label: 'Sign',
    hint: 'One or two characters beside the name. Empty: the first letters of the name.',
    fault: atMost(64),
  },
  integrator: {
    label: 'Integrator',
    hint: 'To whom the listing is attributed.',
    fault: atMost(128),
  },
  feeBps: {
    label: 'Fee in percent',
    hint: 'What your code takes of the amount. Empty: the manifest names none.',
    placeholder: '0.25',
    fault: (text) =>
      /^\d{1,3}(\.\d{1,2})?$/.test(text) && Number(text) <= 100
        ? undefined
        : 'Expected a number from 0 to 100, with at most two decimals.',
  },
  feeRecipient: {
    label: 'Recipient of the fee',
    hint: 'Address that your code pays it to.',
    placeholder: '0x…',
    fault: (text) =>
      /^0x[0-9a-fA-F]{1,64}$/.test(text) ? undefined : 'An address is 0x and up to 64 hex digits.',
  },
  deprecated: {
    label: 'Deprecated because',
    hint: 'Why new wallets should not begin to use it. Empty: it is not deprecated.',
    fault: atMost(512),
  },
  successor: {
    label: 'Successor',
    hint: 'Service type of the adaptor to use instead of a deprecated one.',
    placeholder: '0x…::module::Witness',
    fault: (text) =>
      /^0x[0-9a-fA-F]{1,64}::[A-Za-z]\w{0,127}::[A-Za-z]\w{0,127}$/.test(text)
        ? undefined
        : 'A service type is 0x…::module::Witness.',
  },
};

export const detailNames = Object.keys(detailFields) as DetailName[];

export const noDetails = Object.fromEntries(detailNames.map((name) => [name, ''])) as Details;

/** Returns what is wrong with each field, in words. A field that is valid or empty is absent. */
export function detailFaults(details: Details): Partial<Details> {
  return Object.fromEntries(
    detailNames.flatMap((name) => {
      const text = details[name].trim();
      const fault = text === '' ? undefined : detailFields[name].fault(text);
      return fault === undefined ? [] : [[name, fault]];
    }),
  );
}

/** Converts the fields that are not empty for a draft request: trimmed, the fee in basis points. */
export const enteredDetails = (details: Details): ManifestDetails =>
  Object.fromEntries(
    detailNames.flatMap((name) => {
      const text = details[name].trim();
      if (text === '') return [];
      return [[name, name === 'feeBps' ? Math.round(Number(text) * 100) : text]];
    }),
  );

/** Converts the optional fields of a manifest to form input, so that the publisher can change them. */
export const toDetails = (manifest: ManifestDetails): Details => ({
  ...noDetails,
  ...Object.fromEntries(
    detailNames.flatMap((name) => {
      const value = manifest[name];
      if (value === undefined || value === null) return [];
      return [[name, String(name === 'feeBps' ? Number(value) / 100 : value)]];
    }),
  ),
});
