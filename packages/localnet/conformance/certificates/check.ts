import type { Certificate, Claim, RestClaim, TakesClaim } from '@adaptor-marketplace/adaptor/certify';
import { SUI } from '../../src/vm/framework.ts';
import type { Flow } from '../../src/vm/provenance/ends.ts';
import type { Site } from '../../src/vm/provenance/memory.ts';
import type { Atom, Label, Place } from '../../src/vm/provenance/place.ts';
import type { Execution } from '../../src/vm/provenance/trace.ts';
import type { Type } from '../../src/vm/types.ts';
import { assetText, instantiate, isSystemType, listLeaves, listPaths, typeText } from './names.ts';
import { typesAround, Vocabulary } from './parameters.ts';

/** Something that an execution did and that the certificate of its function says nothing of. */
export interface Violation {
  /** `0x…::module::function`. */
  function: string;
  site: Site;
  /** The claim that would have covered it. */
  missing: string;
}

type Kind = RestClaim['kind'];

/** Finds what one execution did outside of its function's certificate. */
export function checkExecution(execution: Execution, certificate: Certificate): Violation[] {
  return new Check(execution, certificate).violations;
}

/** Kinds of claims that the certificate does not close: code was not read. */
export function listUnread({ claims }: Certificate): Kind[] {
  return claims.flatMap((claim) => ('rest' in claim && claim.verdict === 'unread' ? [claim.kind] : []));
}

const instances = new WeakMap<Certificate, Map<string, Claim[]>>();

/** The claims with the type arguments of a call in the place of type parameters. */
function instantiateClaims(certificate: Certificate, typeArguments: readonly Type[]): readonly Claim[] {
  if (typeArguments.length === 0) return certificate.claims;
  const known = instances.get(certificate) ?? new Map<string, Claim[]>();
  instances.set(certificate, known);
  const key = typeArguments.map(typeText).join();
  const claims: Claim[] =
    known.get(key) ?? JSON.parse(instantiate(JSON.stringify(certificate.claims), typeArguments));
  known.set(key, claims);
  return claims;
}

class Check {
  readonly violations: Violation[] = [];
  readonly #execution: Execution;
  readonly #claims: readonly Claim[];
  readonly #words: Vocabulary;
  readonly #unread: ReadonlySet<Kind>;

  constructor(execution: Execution, certificate: Certificate) {
    this.#execution = execution;
    this.#claims = instantiateClaims(certificate, execution.typeArguments);
    this.#words = new Vocabulary(execution.parameters);
    this.#unread = new Set(listUnread(certificate));
    for (const flow of execution.flows) this.#checkFlow(flow);
    for (const access of ['reads', 'writes'] as const) {
      for (const [place, site] of execution[access]) this.#checkTouch(access, place, site);
    }
    if (execution.gate) this.#checkGate(execution.gate.on, execution.gate.site);
    for (const [label, site] of execution.amounts) this.#checkSteering('amount', label, site);
    for (const [label, site] of execution.recipients) this.#checkSteering('recipient', label, site);
  }

  #list<K extends Kind>(kind: K): Extract<Exclude<Claim, RestClaim>, { kind: K }>[] {
    return this.#claims.filter((claim) => claim.kind === kind && !('rest' in claim)) as never;
  }

  #miss(kind: Kind, site: Site, what: string): void {
    if (this.#unread.has(kind)) return;
    const { module, function: name } = this.#execution;
    this.violations.push({ function: `${module}::${name}`, site, missing: `${kind}: ${what}` });
  }

  #checkFlow(flow: Flow): void {
    const { source, end, site } = flow;
    if (this.#words.isStaying(source, end)) return;
    const types = [
      flow.type,
      ...flow.within,
      ...(source.kind === 'initial' ? typesAround(source.place) : []),
      ...(end.kind === 'kept' ? typesAround(end.place) : []),
    ];
    const from = this.#list('goesTo').filter((claim) => this.#words.isSource(source, claim.source));
    const isClaimed = from.some(
      (claim) => this.#words.isSink(end, claim.sink) && this.#words.isType(claim.type, types),
    );
    if (!isClaimed) this.#miss('goesTo', site, describeFlow(flow));
    const denied = from.find((claim) => this.#words.isDenied(source, end, claim));
    if (denied && isClaimed)
      this.#miss('goesTo', site, `${describeFlow(flow)}, though another sink is always`);
    if (end.kind === 'kept' || end.kind === 'sent' || end.kind === 'returned')
      this.#checkComingBack(flow, types);
    if (source.kind === 'initial' && this.#words.kind(source.place) !== 'object')
      this.#checkTaking(flow, types);
  }

  #checkComingBack(flow: Flow, types: Flow['within']): void {
    const { source, end, site } = flow;
    const isCaller =
      end.kind === 'returned' ||
      (end.kind === 'sent' && [...end.to].every(({ kind }) => kind === 'sender')) ||
      (end.kind === 'kept' && this.#words.kind(end.place) !== 'object');
    if (!isCaller) return;
    const isClaimed = this.#list('comesBack').some(
      (claim) =>
        this.#words.isSink(end, claim.sink) &&
        this.#words.isType(claim.type, types) &&
        claim.sources.some((each) => this.#words.isSource(source, each)),
    );
    if (!isClaimed) this.#miss('comesBack', site, describeFlow(flow));
  }

  #checkTaking(flow: Flow, types: Flow['within']): void {
    const claims = this.#list('takes').filter(
      (claim) => claim.verdict === 'may' && this.#words.isSource(flow.source, claim.source),
    );
    const fitting = claims.filter((claim) => this.#words.isType(claim.type, types));
    if (fitting.length === 0) this.#miss('takes', flow.site, describeFlow(flow));
    else if (flow.isMoney && !fitting.some((claim) => this.#isBounded(flow, claim))) {
      this.#miss('takes', flow.site, `${describeFlow(flow)}, amount from ${describeLabel(flow.amount)}`);
    }
  }

  #isBounded({ amount }: Flow, { bounds }: TakesClaim): boolean {
    return bounds.some((bound) => {
      if (bound.kind === 'all') return true;
      const atoms = [...amount];
      if (atoms.length === 0) return false;
      if (bound.kind === 'equal') return atoms.length === 1 && this.#words.isOrigin(atoms[0]!, bound.to);
      return atoms.every((atom) => bound.from.some((origin) => this.#words.isOrigin(atom, origin)));
    });
  }

  #checkTouch(access: 'reads' | 'writes', place: Place, site: Site): void {
    const kind = this.#words.kind(place);
    if (kind !== 'object' && kind !== 'wallet' && kind !== 'ownedObject') return;
    // That money is moved says that its amount is read.
    const isMoving =
      site.module === `${SUI}::balance` &&
      /^(split|join|withdraw_all|increase_supply|decrease_supply)$/.test(site.function);
    const claims = this.#list('touches').filter((claim) => claim.access === access || isMoving);
    for (const leaf of listLeaves(place)) {
      // The id of an object never changes.
      if (typesAround(leaf).some((type) => isSystemType(type, 'object', 'UID'))) continue;
      if (claims.some((claim) => this.#words.isTouched(leaf, claim.path))) continue;
      this.#miss('touches', site, `${access} ${listPaths(leaf).at(-1)}`);
      return;
    }
  }

  #checkGate(on: Label, site: Site): void {
    // Errors of natives are not covered, and neither are those of the functions that move money or dynamic fields.
    if (/^0x0*2::(balance|dynamic_field|dynamic_object_field)$/.test(site.module)) return;
    const claims = this.#list('gate');
    for (const atom of on) {
      if (atom.kind === 'constant' || claims.some((claim) => this.#words.isOrigin(atom, claim.on))) continue;
      this.#miss('gate', site, `on ${describeAtom(atom)}`);
    }
  }

  #checkSteering(reaches: 'amount' | 'recipient', label: Label, site: Site): void {
    const claims = this.#list('steers').filter((claim) => claim.reaches === reaches);
    for (const atom of label) {
      if (!this.#words.isStored(atom) || claims.some((claim) => this.#words.isPath(atom.place, claim.path)))
        continue;
      this.#miss('steers', site, `${describeAtom(atom)} reaches ${reaches}`);
    }
  }
}

function describeFlow({ source, end, type }: Flow): string {
  const to = {
    kept: () =>
      end.kind === 'kept' ? `parameter ${end.place.parameter} ${listPaths(end.place).at(-1)}` : '',
    sent: () => (end.kind === 'sent' ? describeLabel(end.to) : ''),
    returned: () => (end.kind === 'returned' ? `result ${end.index}` : ''),
    burned: () => '',
    shared: () => '',
    frozen: () => '',
  }[end.kind]();
  return `${assetText(type)} from ${describeAtom(source)} ${end.kind} ${to}`.trim();
}

const describeLabel = (label: Label): string =>
  label.size === 0 ? 'all' : [...label].map(describeAtom).join(' and ');

function describeAtom(atom: Atom): string {
  if (atom.kind === 'initial') return `parameter ${atom.place.parameter} ${listPaths(atom.place).at(-1)}`;
  return atom.kind === 'constant' ? atom.value : atom.kind;
}
