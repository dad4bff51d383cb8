import { referent } from '../introspect/code/move-type.ts';
import { Authorities } from './authority.ts';
import { Callables } from './callables.ts';
import type {
  Certificate,
  Claim,
  RestClaim,
  UpgradeClaim,
  UpgradeFacts,
  WitnessLeakClaim,
} from './claims.ts';
import { Calls } from './code/calls.ts';
import { LinkedCode, type Program, toVersion } from './code/program.ts';
import { Analysis } from './flow/analysis.ts';
import type { Atom } from './flow/atom.ts';
import { bounds } from './flow/bounds.ts';
import { typeText } from './flow/path.ts';
import type { Summary } from './flow/summary.ts';
import type { Test, Value } from './flow/value.ts';
import { Giving } from './giving.ts';
import { describeMoney } from './money.ts';
import { Sharing } from './sharing.ts';
import { Signature } from './signature.ts';
import {
  describeDroppedChecks,
  describeGates,
  describeSteering,
  describeTouches,
  describeUnread,
} from './state.ts';
import { Tables } from './tables.ts';
import { findWitnessLeaks } from './witness-leaks.ts';
import { WriterSearch } from './writers.ts';

/** Version of the analysis. It increases with each change that can change a certificate. */
export const analysisVersion = 6;

/** A function of the program's root package. */
export interface CertifyTarget {
  module: string;
  function: string;
}

export interface CertifyOptions {
  /** The rights to change the package, which bytecode does not show. */
  upgrade?: UpgradeFacts | undefined;
  /** Bound on the steps of the analysis for one function. The same bound gives the same certificate. */
  steps?: number | undefined;
}

/** The program has no such function with code, or its module is not valid bytecode. */
export class CertifyTargetError extends Error {
  constructor({ module, function: name }: CertifyTarget) {
    super(
      `The package has no readable function ${module}::${name}. Name a function that its bytecode defines.`,
    );
    this.name = 'CertifyTargetError';
  }
}

/** Certifies one function of a package. @throws CertifyTargetError */
export function certify(program: Program, target: CertifyTarget, options: CertifyOptions = {}): Certificate {
  return new Certifier(program, options).certify(target);
}

/** Certifies functions of one package. It analyzes each function once. The order of the calls changes no certificate. */
export class Certifier {
  readonly #code: LinkedCode;
  readonly #analysis: Analysis;
  readonly #authorities: Authorities;
  readonly #writers: WriterSearch;
  readonly #options: CertifyOptions;
  #leaks: WitnessLeakClaim[] | undefined;

  constructor(program: Program, options: CertifyOptions = {}) {
    this.#options = options;
    this.#code = new LinkedCode(program);
    this.#analysis = new Analysis(this.#code);
    const calls = new Calls(this.#code);
    const callables = new Callables(this.#analysis);
    this.#authorities = new Authorities(
      callables,
      new Sharing(this.#code, calls),
      new Giving(this.#code, calls),
    );
    this.#writers = new WriterSearch(this.#code, callables, this.#authorities);
  }

  /** The functions of the package that a transaction can call, in the order of the modules' names. */
  get targets(): CertifyTarget[] {
    return this.#code
      .modules(this.#code.root.originalId)
      .flatMap((module) =>
        module.functions
          .filter(({ visibility, is_entry, code }) => code && (visibility === 'Public' || is_entry))
          .map(({ function: index }) => ({ module: module.name, function: module.handle(index).name })),
      );
  }

  /** @throws CertifyTargetError */
  certify(target: CertifyTarget): Certificate {
    const { root } = this.#code;
    const fn = this.#code.find({ address: root.originalId, module: target.module, name: target.function });
    const definition = fn?.module.functions[fn.index];
    if (!fn || !definition?.code) throw new CertifyTargetError(target);
    const summary = this.#analysis.summarize(fn, this.#options.steps ?? bounds.steps);
    const handle = fn.module.handle(definition.function);
    const signature = new Signature(this.#code, this.#analysis.assets, handle);
    return {
      analysis: analysisVersion,
      package: toVersion(root),
      module: target.module,
      function: target.function,
      parameters: handle.parameters.map(typeText),
      closure: this.#code.versions,
      ...this.#describe(signature, summary),
    };
  }

  #describe(
    signature: Signature,
    summary: Summary,
  ): Pick<Certificate, 'claims' | 'functions' | 'writers' | 'authorities'> {
    const tables = new Tables();
    const isRead = summary.unread.length === 0 && !summary.failure;
    const money = describeMoney(signature, summary, tables);
    const gates = describeGates(signature, summary, this.#writers, tables);
    const steering = describeSteering(signature, summary, this.#writers, tables);
    this.#leaks ??= findWitnessLeaks(this.#code);
    const isWhole = this.#code.isWhole(this.#code.root.originalId);
    const unread = describeUnread(summary, tables);
    if (isRead && !(money.isRead && gates.isRead && steering.isRead)) {
      unread.push({
        kind: 'notRead',
        verdict: 'unread',
        reason: 'bound',
        what: 'origins of a value',
        evidence: [],
      });
    }
    const claims = [
      ...closeKind('takes', money.takes, money.isRead),
      ...closeKind('goesTo', money.goesTo, money.isRead),
      ...closeKind('comesBack', money.comesBack, money.isRead),
      ...closeKind('touches', describeTouches(signature, summary, tables), isRead),
      ...closeKind('gate', gates.claims, isRead && gates.isRead),
      ...closeKind('steers', steering.claims, isRead && steering.isRead),
      ...closeKind('droppedCheck', describeDroppedChecks(summary, tables), isRead),
      ...closeKind('witnessLeak', this.#leaks, isWhole),
      describeUpgrade(signature, summary, this.#authorities, this.#options.upgrade),
      ...sorted(unread),
    ];
    const { functions, writers, authorities } = tables;
    return { claims, functions, writers, authorities };
  }
}

function closeKind(kind: RestClaim['kind'], claims: readonly Claim[], isRead: boolean): Claim[] {
  return [...sorted(claims), { kind, verdict: isRead ? 'cannot' : 'unread', rest: true }];
}

const sorted = <C extends Claim>(claims: readonly C[]): C[] =>
  claims
    .map((claim): [string, C] => [JSON.stringify(claim), claim])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, claim]) => claim);

function describeUpgrade(
  signature: Signature,
  summary: Summary,
  authorities: Authorities,
  facts: UpgradeFacts | undefined,
): UpgradeClaim {
  const gates = summary.facts
    .map((fact) => findVersionGate(signature, authorities, fact))
    .filter((path) => path !== undefined);
  const versionGates = [...new Set(gates)].sort();
  if (!facts) return { kind: 'upgrade', verdict: 'unread', versionGates };
  const isFixed = facts.policy === 'immutable' && facts.olderVersions === 0;
  return { kind: 'upgrade', verdict: isFixed ? 'cannot' : 'may', facts, versionGates };
}

/** The stored field that must equal a constant, in an object that the caller did not make, or in the caller's wallet. */
function findVersionGate(
  signature: Signature,
  authorities: Authorities,
  { left, right }: Test,
): string | undefined {
  const [a, b] = [getOnlyAtom(left), getOnlyAtom(right)];
  const [constant, stored] = a?.kind === 'constant' ? [a, b] : [b, a];
  if (constant?.kind !== 'constant' || stored?.kind !== 'initial') return undefined;
  const origin = signature.origin(stored);
  const object = referent(signature.type(stored.parameter));
  const isWallet = signature.kind(stored.parameter) === 'wallet';
  const counts = isWallet || (object.kind === 'datatype' && authorities.isGuarded(object));
  return origin?.kind === 'state' && counts ? origin.path : undefined;
}

function getOnlyAtom({ is }: Value): Atom | undefined {
  const [only, ...others] = is.atoms;
  return others.length === 0 ? only : undefined;
}
