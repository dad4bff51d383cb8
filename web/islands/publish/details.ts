import {
  type ManifestSource,
  manifestSource,
  type PublisherProfile,
  publisherProfile,
} from '@adaptor-marketplace/adaptor/manifest';

type PlainName =
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
type ProfileName = 'profileName' | 'profileDomain' | 'profileIcon' | 'profileLinks';
type SourceName = 'sourceRepository' | 'sourceCommit' | 'sourcePath';

/**
 * Optional manifest fields, as the publisher types them: the fee in percent, and a link of the profile in each line. The
 * manifest has basis points, a `profile` and a `source`.
 */
export type Details = Record<PlainName | ProfileName | SourceName, string>;

/** The optional fields of a manifest. */
export type ManifestDetails = {
  [Name in PlainName]?: Name extends 'feeBps' ? number | null : string | null;
} & {
  profile?: { [Name in keyof PublisherProfile]: PublisherProfile[Name] | null } | null;
  source?: { [Name in keyof ManifestSource]: ManifestSource[Name] | null } | null;
};

interface Field {
  label: string;
  hint: string;
  placeholder?: string;
  /** `true` for a text of several lines. */
  isMultiline?: boolean;
  /** Returns what is wrong with a text that is not empty; undefined if it is valid. */
  findFault(text: string): string | undefined;
}

const urlMax = 2_048;

function findUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'Not a web address. Enter it whole, such as https://example.org/docs.';
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'https:') return 'The catalog links to https:// addresses only.';
  if (username !== '' || password !== '') return 'Remove the user name and the password from the address.';
  if (text.length > urlMax)
    return `An address has at most ${urlMax} characters; this one has ${text.length}.`;
  return undefined;
}

const createLinkField = (label: string, target: string): Field => ({
  label,
  hint: `Address of ${target}.`,
  placeholder: 'https://…',
  findFault: findUrlFault,
});

const limitLength = (max: number) => (text: string) =>
  text.length > max ? `At most ${max} characters; this has ${text.length}.` : undefined;

/** Reads a link of the profile in each line: its label, white space and its address. */
const parseLinks = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.search(/\S+$/);
      return { label: line.slice(0, at).trim(), url: line.slice(at) };
    });

const linksMax = 8;

/** Returns what is wrong with the first invalid line. */
function findLinksFault(text: string): string | undefined {
  const listed = parseLinks(text);
  if (listed.length > linksMax) return `At most ${linksMax} links; these are ${listed.length}.`;
  for (const [at, { label, url }] of listed.entries()) {
    const fault = findLabelFault(label) ?? findUrlFault(url);
    if (fault !== undefined) return `Link ${at + 1}: ${fault}`;
  }
  return links.safeParse(listed).success ? undefined : 'Each line is a label and an https:// address.';
}

function findLabelFault(label: string): string | undefined {
  if (label === '') return 'Put its label in front of the address, such as: Chat https://chat.example/reef';
  return label.length > 32 ? `A label has at most 32 characters; this one has ${label.length}.` : undefined;
}

const { domain, icon, links } = publisherProfile.shape;
const { repository, commit, path } = manifestSource.shape;

/** Optional fields in the order of the form. */
export const detailFields: Readonly<Record<keyof Details, Field>> = {
  docsUrl: createLinkField('Documentation', 'its guide'),
  appUrl: createLinkField('App', 'a site that uses it'),
  repoUrl: createLinkField('Source code', 'its repository'),
  auditUrl: createLinkField('Audit', 'the report of its last audit'),
  glyph: {
    label: 'Sign',
    hint: 'One or two characters beside the name. Empty: the first letters of the name.',
    findFault: limitLength(64),
  },
  integrator: {
    label: 'Integrator',
    hint: 'Person or project that the listing is attributed to.',
    findFault: limitLength(128),
  },
  feeBps: {
    label: 'Fee in percent',
    hint: 'What your code takes of the amount. Empty: the manifest names none.',
    placeholder: '0.25',
    findFault: (text) =>
      /^\d{1,3}(\.\d{1,2})?$/.test(text) && Number(text) <= 100
        ? undefined
        : 'Expected a number from 0 to 100, with at most two decimals.',
  },
  feeRecipient: {
    label: 'Recipient of the fee',
    hint: 'Address that your code pays it to.',
    placeholder: '0x…',
    findFault: (text) =>
      /^0x[0-9a-fA-F]{1,64}$/.test(text) ? undefined : 'An address is 0x and up to 64 hex digits.',
  },
  sourceRepository: {
    label: 'Repository of the source',
    hint: 'A public git repository. On github.com and gitlab.com it is read, and compared with the package on chain.',
    placeholder: 'https://github.com/owner/name',
    findFault: (text) =>
      findUrlFault(text) ??
      (repository.safeParse(text).success
        ? undefined
        : 'Expected the address of a repository, without a port or a query.'),
  },
  sourceCommit: {
    label: 'Commit of the source',
    hint: 'What git rev-parse HEAD prints.',
    findFault: (text) =>
      commit.safeParse(text).success
        ? undefined
        : 'A commit is 40 hex digits in lower case. Branches and tags can move, so they are not accepted.',
  },
  sourcePath: {
    label: 'Folder of the source',
    hint: 'Folder of the package within the repository. Empty: the top folder.',
    placeholder: 'packages/pool',
    findFault: (text) =>
      path.safeParse(text).success
        ? undefined
        : 'Expected a folder within the repository, such as packages/pool.',
  },
  deprecated: {
    label: 'Deprecated because',
    hint: 'Why new wallets should not begin to use it. Empty: it is not deprecated.',
    findFault: limitLength(512),
  },
  successor: {
    label: 'Successor',
    hint: 'Service type of the adaptor to use instead of a deprecated one.',
    placeholder: '0x…::module::Witness',
    findFault: (text) =>
      /^0x[0-9a-fA-F]{1,64}::[A-Za-z]\w{0,127}::[A-Za-z]\w{0,127}$/.test(text)
        ? undefined
        : 'A service type is 0x…::module::Witness.',
  },
  profileName: {
    label: 'Your name',
    hint: 'Name of the publisher, on your page and in your listings. Anyone can write any name, so it is marked as yours.',
    placeholder: 'Reef Labs',
    findFault: limitLength(64),
  },
  profileDomain: {
    label: 'Your domain',
    hint: 'Shown while its file /.well-known/adaptor-marketplace.json has your address.',
    placeholder: 'reef.example',
    findFault: (text) =>
      domain.safeParse(text).success ? undefined : 'A domain is in lower case, such as reef.example.',
  },
  profileIcon: {
    label: 'Your icon',
    hint: 'Address of a PNG, JPEG or WebP picture of at most 64 KiB.',
    placeholder: 'https://…',
    findFault: (text) =>
      findUrlFault(text) ?? (icon.safeParse(text).success ? undefined : 'Not an https:// address.'),
  },
  profileLinks: {
    label: 'Your links',
    hint: `At most ${linksMax}, one in each line: its label and its address.`,
    placeholder: 'Chat https://chat.example/reef',
    isMultiline: true,
    findFault: findLinksFault,
  },
};

export const detailNames = Object.keys(detailFields) as (keyof Details)[];
const isPlain = (name: keyof Details): name is PlainName => !/^(?:profile|source)[A-Z]/.test(name);
const plainNames = detailNames.filter(isPlain);

/** Fields of a manifest in the graph that `toDetails` reads. */
export const detailSelection = `${plainNames.join(' ')} profile { name domain icon links { label url } } source { repository commit path }`;

export const noDetails = Object.fromEntries(detailNames.map((name) => [name, ''])) as Details;

/** Returns what is wrong with each field, in words. A field that is valid or empty is absent. */
export function findDetailFaults(details: Details): Partial<Details> {
  const faults = Object.fromEntries(
    detailNames.flatMap((name) => {
      const text = details[name].trim();
      const fault = text === '' ? undefined : detailFields[name].findFault(text);
      return fault === undefined ? [] : [[name, fault]];
    }),
  );
  return { ...findMissingFields(details), ...faults };
}

/** Returns what is wrong with fields that have no effect without another one. */
function findMissingFields(details: Details): Partial<Details> {
  const has = (name: keyof Details) => details[name].trim() !== '';
  const isSourceNamed = has('sourceRepository') || has('sourceCommit') || has('sourcePath');
  return {
    ...(has('successor') &&
      !has('deprecated') && {
        successor: 'A successor requires a reason. Enter why the adaptor is deprecated.',
      }),
    ...(isSourceNamed &&
      !has('sourceRepository') && { sourceRepository: 'Name the repository of the source too.' }),
    ...(isSourceNamed && !has('sourceCommit') && { sourceCommit: 'Name the commit of the source too.' }),
  };
}

export const toBasisPoints = (percent: string): number => Math.round(Number(percent) * 100);

/** Converts the fields that are not empty for a draft request: trimmed, the fee in basis points. */
export function toManifestDetails(details: Details): ManifestDetails {
  const entered = Object.fromEntries(
    plainNames.flatMap((name) => {
      const text = details[name].trim();
      if (text === '') return [];
      return [[name, name === 'feeBps' ? toBasisPoints(text) : text]];
    }),
  );
  const profile = readProfile(details);
  const source = toManifestSource(details);
  return { ...entered, ...(profile && { profile }), ...(source && { source }) };
}

function toManifestSource(details: Details): ManifestSource | undefined {
  const [repository, commit, path] = [details.sourceRepository, details.sourceCommit, details.sourcePath].map(
    (text) => text.trim(),
  ) as [string, string, string];
  if (repository === '') return undefined;
  return { repository, commit, ...(path !== '' && { path }) };
}

function readProfile(details: Details): PublisherProfile | undefined {
  const listed = parseLinks(details.profileLinks);
  const fields = [
    ['name', details.profileName.trim()],
    ['domain', details.profileDomain.trim()],
    ['icon', details.profileIcon.trim()],
    ['links', listed],
  ] as const;
  const given = fields.filter(([, value]) => value.length > 0);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Converts the optional fields of a manifest to form input, so that the publisher can change them. */
export function toDetails({ profile, source, ...manifest }: ManifestDetails): Details {
  const texts = plainNames.flatMap((name) => {
    const value = manifest[name];
    if (value === undefined || value === null) return [];
    return [[name, String(name === 'feeBps' ? Number(value) / 100 : value)]];
  });
  const listed = (profile?.links ?? []).map(({ label, url }) => `${label} ${url}`);
  return {
    ...noDetails,
    ...Object.fromEntries(texts),
    sourceRepository: source?.repository ?? '',
    sourceCommit: source?.commit ?? '',
    sourcePath: source?.path ?? '',
    profileName: profile?.name ?? '',
    profileDomain: profile?.domain ?? '',
    profileIcon: profile?.icon ?? '',
    profileLinks: listed.join('\n'),
  };
}
