import { isSystemPackage } from '../packages/system.ts';
import type {
  Authority,
  Bound,
  Certificate,
  Claim,
  GoesToClaim,
  Origin,
  PackageVersion,
  RestClaim,
  Sink,
  Source,
  SteersClaim,
  TakesClaim,
  UpgradeClaim,
  Verdict,
  Writer,
  Writers,
} from './claims.ts';

/** Returns the names of `CertificateText.packages` in a sentence. */
export const findNamedPackages = (text: string): Set<string> => new Set(text.match(/@P\d+(?=::)/g));

/** Meanings of the verdicts, for readers of sentences. */
export const verdictMeanings = {
  cannot: 'The sentence excludes something, and no call that succeeds does it.',
  always: 'Each call that succeeds and that moves this money does it, with all of it.',
  may: 'The code has a path that looks like it.',
  unread: 'Some code on the way was not read, so nothing follows.',
} as const satisfies Record<Verdict, string>;

/** A sentence about a function, and the claims that it states. `listCallPaths` leads to their instructions. */
export interface ClaimSentence {
  kind: Claim['kind'];
  verdict: Verdict;
  text: string;
  claims: readonly Claim[];
}

/** A certificate in sentences. */
export interface CertificateText {
  sentences: ClaimSentence[];
  /**
   * The other packages, which the sentences name `@P1`, `@P2` and so on. Those of the framework are left out. No name in
   * bytecode has an `@`.
   */
  packages: { name: string; version: PackageVersion }[];
}

/**
 * States the claims of a certificate in sentences, in the order of the claims. Names of the certified package have no
 * address, and arguments are counted from 1. Names come from bytecode: escape them where they are shown.
 *
 * @example
 * for (const { verdict, text } of describeCertificate(certificate).sentences) console.log(verdict, text);
 */
export const describeCertificate = (certificate: Certificate): CertificateText =>
  describeWithin(certificate, Number.POSITIVE_INFINITY);

/** Bounds of the names and lists in a sentence. */
interface WordingBounds {
  /** Characters of a name. The middle of a longer one is left out. */
  name: number;
  /** Items of a list. The others are counted. */
  list: number;
}

const whole: WordingBounds = { name: Number.POSITIVE_INFINITY, list: Number.POSITIVE_INFINITY };

/** Bounds for a sentence that is too long, in the order of attempts. The names of a publisher have up to 128 characters each. */
const shorter: readonly WordingBounds[] = [
  { name: 70, list: 16 },
  { name: 70, list: 6 },
  { name: 70, list: 2 },
  { name: 40, list: 1 },
];

/**
 * States the claims of a certificate in sentences of at most `textMax` characters, 600 or more. A longer sentence has short
 * names and lists: a cut at its end would hide where the money goes.
 */
export function describeWithin(certificate: Certificate, textMax: number): CertificateText {
  const packages = certificate.closure
    .filter(({ originalId }) => originalId !== certificate.package.originalId && !isSystemPackage(originalId))
    .map((version, at) => ({ name: `@P${at + 1}`, version }));
  const names = new Map(packages.map(({ name, version }) => [version.originalId, name]));
  const wordings = [whole, ...shorter].map((bounds) => new Wording(certificate, names, bounds));
  const groups = groupClaims(certificate.claims);
  const sentences = groups.map((claims, at): ClaimSentence => {
    const [{ kind, verdict }] = claims;
    const follows = groups[at - 1]?.[0].kind === kind;
    let text = '';
    for (const words of wordings) {
      text = words.sentence(claims, follows);
      if (text.length <= textMax) break;
    }
    return { kind, verdict, text, claims };
  });
  return { sentences, packages };
}

type ClaimGroup = [Claim, ...Claim[]];

/** Groups the claims that share a sentence: all fields that are read, all that are written, and all checks without writers. */
function groupClaims(claims: readonly Claim[]): ClaimGroup[] {
  const groups: ClaimGroup[] = [];
  let formerKey: string | undefined;
  for (const claim of claims) {
    const key = findSharedSentence(claim);
    if (key !== undefined && key === formerKey) groups.at(-1)!.push(claim);
    else groups.push([claim]);
    formerKey = key;
  }
  return groups;
}

function findSharedSentence(claim: Claim): string | undefined {
  if ('rest' in claim) return undefined;
  if (claim.kind === 'touches') return claim.access;
  return claim.kind === 'gate' && claim.writers === undefined ? claim.kind : undefined;
}

/** The text of claims about one certified function. */
class Wording {
  readonly #certificate: Certificate;
  /** Names of the other packages, by original id. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #bounds: WordingBounds;
  /** Texts of `Certificate.writers`, by position: many claims share one, which can name thousands of functions. */
  readonly #writersTexts = new Map<number, string>();

  constructor(certificate: Certificate, names: ReadonlyMap<string, string>, bounds: WordingBounds) {
    this.#certificate = certificate;
    this.#names = names;
    this.#bounds = bounds;
  }

  /** @param follows `true` if a claim of the same kind comes before: a rest claim is then about all others */
  sentence(claims: ClaimGroup, follows: boolean): string {
    const [claim] = claims;
    if ('rest' in claim) return describeRest(claim, follows);
    switch (claim.kind) {
      case 'takes':
        return this.#takes(claim);
      case 'goesTo':
        return this.#goesTo(claim);
      case 'comesBack': {
        const sources = claim.sources.map((source) => this.#source(source));
        const sink = claim.sink.kind === 'returned' ? 'the transaction' : this.#destination(claim.sink);
        return `${this.#name(claim.type)} may come back to ${sink}: ${this.#list(sources)}.`;
      }
      case 'touches':
        return `${claim.access === 'writes' ? 'Writes' : 'Reads'} ${this.#subjects(claims)}.`;
      case 'gate':
        return `${claims.length > 1 ? 'Checks' : 'A check'} of ${this.#subjects(claims)} may abort it.${this.#writers(claim.writers)}`;
      case 'steers':
        return this.#steers(claim);
      case 'droppedCheck':
        return `Calls ${this.#name(claim.check)} and ignores its result.`;
      case 'witnessLeak':
        return `${this.#name(claim.function)} gives away ${this.#name(claim.witness)}, with which others can act as the service.`;
      case 'upgrade':
        return this.#upgrade(claim);
      case 'notRead':
        return claim.reason === 'bound'
          ? `Not read: the analysis reached its bound on ${this.#shorten(claim.what)}.`
          : `Not read: the ${claim.reason} ${this.#name(claim.what)}.`;
    }
  }

  #subjects(claims: readonly Claim[]): string {
    const names = claims.map((claim) => {
      if ('path' in claim) return this.#name(claim.path);
      return 'on' in claim ? this.#origin(claim.on) : '';
    });
    return this.#list(names);
  }

  #takes({ verdict, source, type, bounds, repeated }: TakesClaim): string {
    const from = this.#source(source);
    if (verdict === 'cannot') return `Takes nothing from ${from}.`;
    if (verdict === 'unread') return `Code that was not read may take anything from ${from}.`;
    // Equal amounts are taken in addition to each other, so each is named.
    const amounts = this.#cut(
      bounds.toSorted(compareBounds).map((bound) => this.#bound(bound)),
      ', and ',
    );
    return `Takes ${this.#name(type ?? '?')} from ${from}: ${amounts}${repeated ? ', more than once' : ''}.`;
  }

  #bound(bound: Bound): string {
    switch (bound.kind) {
      case 'equal':
        return `exactly ${this.#origin(bound.to)}`;
      case 'all':
        return 'all of it';
      case 'unbounded':
        return `an amount computed from ${this.#origins(bound.from)}`;
    }
  }

  #goesTo({ verdict, source, sink, type, decidedBy }: GoesToClaim): string {
    const money = `${this.#name(type)} ${sourcePreposition(source)}${this.#source(source)}`;
    const decided = decidedBy.length > 0 ? `, decided by ${this.#origins(decidedBy)}` : '';
    const isAlways = verdict === 'always';
    if (sink.kind === 'burned' || sink.kind === 'destroyed') {
      const end = sink.kind === 'burned' ? 'burned' : 'taken apart';
      return `${money} ${isAlways ? 'is always' : 'may be'} ${end}${decided}.`;
    }
    return `${money} ${isAlways ? 'always goes' : 'may go'} to ${this.#destination(sink)}${decided}.`;
  }

  #source(source: Source): string {
    switch (source.kind) {
      case 'wallet':
        return 'the wallet';
      case 'argument':
        return this.#argument(source.parameter);
      case 'state':
        return this.#name(source.path);
      case 'made':
        return 'made in the call';
      case 'received':
        return 'received by an object';
      case 'funds':
        return 'the balance of an address';
      case 'unread':
        return 'code that was not read';
    }
  }

  #destination(sink: Exclude<Sink, { kind: 'burned' | 'destroyed' }>): string {
    switch (sink.kind) {
      case 'wallet':
        return 'the wallet';
      case 'argument':
        return this.#argument(sink.parameter);
      case 'sender':
        return 'the sender';
      case 'argumentAddress':
        return `the address in ${this.#argument(sink.parameter)}`;
      case 'constantAddress':
        return `${sink.address}, an address in the code`;
      case 'storedAddress':
        return `the address that is stored in ${this.#name(sink.path)}`;
      case 'objectAddress':
        return `the address of the object in ${this.#argument(sink.parameter)}`;
      case 'computedAddress':
        return `an address computed from ${this.#origins(sink.from)}`;
      case 'kept':
        return `${this.#name(sink.path)}, which keeps it`;
      case 'returned':
        return `the transaction, as result ${sink.index + 1}`;
      case 'shared':
        return `a shared object, ${this.#name(sink.type)}`;
      case 'frozen':
        return `a frozen object, ${this.#name(sink.type)}`;
      case 'unread':
        return 'code that was not read';
    }
  }

  #origins(origins: readonly Origin[]): string {
    return this.#list(origins.map((origin) => this.#origin(origin)));
  }

  #origin(origin: Origin): string {
    switch (origin.kind) {
      case 'argument':
        return this.#argument(origin.parameter);
      case 'state':
        return this.#name(origin.path);
      case 'constant':
        return this.#shorten(origin.value);
      case 'sender':
        return 'the sender';
      case 'time':
        return 'the time';
      case 'transaction':
        return 'data of the transaction';
      case 'objectId':
        return `the id of ${this.#argument(origin.parameter)}`;
      case 'fresh':
        return 'an unpredictable value';
      case 'type':
        return 'a type argument';
      case 'unread':
        return 'code that was not read';
    }
  }

  #steers({ path, reaches, writers }: SteersClaim): string {
    const decides = reaches === 'amount' ? 'an amount' : 'a recipient';
    return `${this.#name(path)} decides ${decides}.${this.#writers(writers)}`;
  }

  /** @param index position in the certificate's list */
  #writers(index: number | undefined): string {
    const writers = index === undefined ? undefined : this.#certificate.writers[index];
    if (index === undefined || !writers) return '';
    const known = this.#writersTexts.get(index) ?? this.#describeWriters(writers);
    this.#writersTexts.set(index, known);
    return known;
  }

  #describeWriters({ list, others }: Writers): string {
    const unread = others === 'unread' ? ' Code that was not read may change it.' : '';
    if (list.length === 0) return unread || ' No function can change it.';
    const anyoneFirst = list.toSorted((a, b) => Math.min(a.needs.length, 1) - Math.min(b.needs.length, 1));
    return ` ${this.#list(anyoneFirst.map((writer) => this.#writer(writer)))} may change it.${unread}`;
  }

  #writer({ function: name, needs }: Writer): string {
    const callers = needs.map((index) => this.#authority(this.#certificate.authorities[index]!));
    return `${this.#name(this.#certificate.functions[name] ?? '?')} (${callers.length > 0 ? this.#list(callers) : 'called by anyone'})`;
  }

  #authority(authority: Authority): string {
    switch (authority.kind) {
      case 'capability':
        return `called with ${this.#name(authority.type)}`;
      case 'sender':
        return `called by the address in ${this.#name(authority.path)}`;
      case 'constantSender':
        return `called by ${authority.address}`;
      case 'checksSender':
        return `compares the sender with ${this.#list(authority.paths.map((path) => this.#name(path)))}`;
    }
  }

  #upgrade({ facts, versionGates }: UpgradeClaim): string {
    const gates =
      versionGates.length > 0
        ? ` ${this.#list(versionGates.map((path) => this.#name(path)))} must equal a constant of this version.`
        : ' No stored version disables this version.';
    if (!facts) return `The rights to upgrade the package were not read.${gates}`;
    const { policy, holder, olderVersions } = facts;
    const callable = olderVersions === 1 ? 'version stays callable' : 'versions stay callable';
    const older = olderVersions > 0 ? ` ${olderVersions} older ${callable}.` : '';
    if (policy === 'immutable') return `The package cannot be upgraded.${older}${gates}`;
    const by = holder ? `${holderText[holder.kind]} ${holder.id}` : 'an unknown holder of its UpgradeCap';
    const rights = policy === 'unknown' ? 'may be upgraded' : `may be upgraded (${policy})`;
    return `The package ${rights} by ${by}.${older}${gates}`;
  }

  #argument(parameter: number): string {
    const type = this.#certificate.parameters[parameter];
    return `argument ${parameter + 1}${type === undefined ? '' : ` (${this.#name(type)})`}`;
  }

  /** Shortens the addresses in a name, a path or a type: none for the package, `0x2` for the framework, `@P1` for others. */
  #name(text: string): string {
    const own = this.#certificate.package.originalId;
    const named = text.replace(/(0x[0-9a-f]{64})::/g, (_, address: string) => {
      if (address === own) return '';
      if (isSystemPackage(address)) return `0x${address.slice(2).replace(/^0+/, '')}::`;
      return `${this.#names.get(address) ?? address}::`;
    });
    return this.#shorten(named);
  }

  /** Leaves out the middle: a name ends with the field, and starts with the package. */
  #shorten(name: string): string {
    const { name: max } = this.#bounds;
    if (name.length <= max) return name;
    const half = Math.floor((max - 1) / 2);
    return `${name.slice(0, half).toWellFormed()}…${name.slice(-half).toWellFormed()}`;
  }

  /** Joins distinct words. */
  #list(words: readonly string[]): string {
    return this.#cut([...new Set(words)], ', ');
  }

  /** Joins the first words, and counts the others. */
  #cut(words: readonly string[], separator: string): string {
    const { list: max } = this.#bounds;
    if (words.length <= max) return words.join(separator);
    return `${words.slice(0, max).join(separator)} and ${words.length - max} more`;
  }
}

/** Compares bounds so that `all` is first. */
const compareBounds = (a: Bound, b: Bound): number => Number(b.kind === 'all') - Number(a.kind === 'all');

const holderText = {
  address: 'the address',
  object: 'the object',
  shared: 'users of the shared object',
  wrapped: 'the object that wraps its UpgradeCap,',
} as const;

const sourcePreposition = ({ kind }: Source): string =>
  kind === 'made' || kind === 'received' ? '' : 'from ';

/** Sentences that end the claims of a kind: `cannot` without other claims of the kind, `cannot` after some, and `unread`. */
const rests: Record<RestClaim['kind'], readonly [none: string, noOther: string, unread: string]> = {
  takes: [
    'Takes nothing from the wallet or an argument.',
    'Takes nothing else from the wallet or an argument.',
    'Code that was not read may take more.',
  ],
  goesTo: [
    'Moves no money and no object.',
    'Nothing goes elsewhere.',
    'Code that was not read may send it elsewhere.',
  ],
  comesBack: [
    'Nothing comes back.',
    'Nothing else comes back.',
    'More may come back from code that was not read.',
  ],
  touches: [
    'Reads and writes no stored data.',
    'Reads and writes no other stored data.',
    'Code that was not read may read and write more.',
  ],
  gate: [
    'No check decides whether it aborts.',
    'No other check decides whether it aborts.',
    'Code that was not read may abort for other reasons.',
  ],
  steers: [
    'No stored field decides an amount or a recipient.',
    'No other stored field decides an amount or a recipient.',
    'In code that was not read, other fields may decide amounts and recipients.',
  ],
  droppedCheck: [
    'No result of a check is ignored.',
    'No other result of a check is ignored.',
    'Code that was not read may ignore results of checks.',
  ],
  witnessLeak: [
    'No function of the package gives a witness away.',
    'No other function of the package gives a witness away.',
    'Modules that were not read may give a witness away.',
  ],
};

/** @param follows `true` if the certificate has claims of the kind */
export function describeRest({ kind, verdict }: RestClaim, follows: boolean): string {
  const [none, noOther, unread] = rests[kind];
  if (verdict === 'unread') return unread;
  return follows ? noOther : none;
}
