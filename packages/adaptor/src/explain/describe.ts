import { formatUnits } from '../chain/coin-units.ts';
import { isSui } from '../names/coin-symbol.ts';
import type {
  ArrivesClaim,
  ChangesClaim,
  Destination,
  Explanation,
  ExplanationSentence,
  Holder,
  LeavesClaim,
  ObjectClaim,
  PackageClaim,
  Provenance,
  PublishClaim,
  ReceivesClaim,
  Route,
  UpgradeClaim,
  UpgradePolicy,
  VersionClaim,
} from './explanation.ts';

type Claims = Omit<Explanation, 'sentences'>;

/** States the claims in sentences. Names come from bytecode: escape them where they are shown. */
export const describeClaims = (claims: Claims): ExplanationSentence[] => new Words(claims).sentences();

/** Destinations of a sentence that are named. The others are counted. */
const namedMax = 6;

class Words {
  readonly #claims: Claims;

  constructor(claims: Claims) {
    this.#claims = claims;
  }

  sentences(): ExplanationSentence[] {
    const { versions, leaves, arrives, publishes, upgrades, packages, calls, notRead } = this.#claims;
    const { changes, receives } = this.#claims;
    const received = new Set(receives.map(({ id }) => id));
    const objects = this.#claims.objects.filter(({ id }) => !received.has(id));
    return [
      ...versions.map((claim) => describeVersion(claim)),
      ...leaves.map((claim) => this.#leaves(claim)),
      ...objects.map((claim) => this.#object(claim)),
      ...changes.map((claim) => describeChanges(claim)),
      ...receives.map((claim) => this.#receives(claim)),
      this.#rest(),
      ...arrives.map((claim) => this.#arrives(claim)),
      ...publishes.map((claim) => this.#publishes(claim)),
      ...upgrades.map((claim) => this.#upgrades(claim)),
      this.#gas(),
      ...notRead.map(
        ({ command, what, reason }): ExplanationSentence => ({
          kind: 'notRead',
          verdict: 'unread',
          text: `Could not be read: ${what}${command === undefined ? '' : `, in command ${command + 1}`}. ${reason}`,
        }),
      ),
      ...calls.map(
        ({ command, text }): ExplanationSentence => ({
          kind: 'calls',
          verdict: 'may',
          text: `Command ${command + 1}: ${text}`,
        }),
      ),
      ...packages.map((claim) => describePackage(claim)),
    ];
  }

  #leaves({ holder, type, atMost, routes }: LeavesClaim): ExplanationSentence {
    const amount =
      atMost === null ? `All ${writeType(type)} may leave` : `At most ${writeAmount(atMost, type)} leaves`;
    const [verb, verdict] = this.#verdict(routes);
    return {
      kind: 'leaves',
      verdict,
      text: `${amount} ${this.#holder(holder)}. It ${verb} ${this.#routes(routes)}.`,
    };
  }

  #object({ id, type, routes }: ObjectClaim): ExplanationSentence {
    const [verb, verdict] = this.#verdict(routes);
    return {
      kind: 'objects',
      verdict,
      text: `The object ${id} (${writeType(type)}) ${verb} ${this.#routes(routes)}.`,
    };
  }

  #receives({ id, type, from, routes }: ReceivesClaim): ExplanationSentence {
    const subject = `The object ${id} (${writeType(type)}), which was sent to the object ${from},`;
    if (routes.length === 0) return { kind: 'receives', verdict: 'cannot', text: `${subject} stays there.` };
    const [verb, verdict] = this.#verdict(routes);
    return { kind: 'receives', verdict, text: `${subject} ${verb} ${this.#routes(routes)}.` };
  }

  #publishes({ command, modules, policy, cap }: PublishClaim): ExplanationSentence {
    const begin = `Command ${command + 1} publishes a package with ${writeModules(modules)}.`;
    const right = `Its holder may ${allowed[policy]} in a later version`;
    if (cap.length === 0) {
      const text = `${begin} It could not be read where its UpgradeCap goes. ${right}.`;
      return { kind: 'publishes', verdict: 'unread', text };
    }
    const [verb, verdict] = this.#verdict(cap);
    const isFinal = verdict === 'always' && cap[0]!.to.kind === 'destroyed';
    const text = isFinal
      ? `${begin} Its UpgradeCap is taken apart, so that the package can never change.`
      : `${begin} Its UpgradeCap ${verb} ${this.#routes(cap)}. ${right}.`;
    return { kind: 'publishes', verdict, text };
  }

  #upgrades({ command, package: id, modules, policy, cap }: UpgradeClaim): ExplanationSentence {
    const begin = `Command ${command + 1} adds a version to the package ${id}, with ${writeModules(modules)}.`;
    const may = policy
      ? `Its ticket allows to ${allowed[policy]}`
      : 'It could not be read what its ticket allows';
    const holder = cap?.holder ? `, of ${this.#holder(cap.holder)}` : '';
    const by = cap ? ` It is from the UpgradeCap ${cap.id}${holder}.` : '';
    return { kind: 'upgrades', verdict: policy ? 'always' : 'unread', text: `${begin} ${may}.${by}` };
  }

  #verdict(routes: readonly Route[]): [verb: string, ExplanationSentence['verdict']] {
    if (routes.some(({ likelihood }) => likelihood === 'unread')) return ['may go', 'unread'];
    const isCertain = routes.length === 1 && routes[0]!.likelihood === 'always';
    return isCertain ? ['goes', 'always'] : ['may go', 'may'];
  }

  #routes(routes: readonly Route[]): string {
    const named = routes.slice(0, namedMax).map(({ to, within }) => {
      // The object that is shared or frozen is the one that has the money.
      const isNamed = (to.kind === 'shared' || to.kind === 'frozen') && to.type === within;
      return `${this.#destination(to)}${within && !isNamed ? ` in an object, ${writeType(within)}` : ''}`;
    });
    const others = routes.length - named.length;
    return `${named.join(', or ')}${others > 0 ? `, or ${others} others` : ''}`;
  }

  #destination(to: Destination): string {
    switch (to.kind) {
      case 'address':
      case 'object':
        return `to ${this.#holder(to)}`;
      case 'storedAddress':
        return `to the address that is stored in ${to.path}`;
      case 'computedAddress':
        return 'to an address that is calculated';
      case 'kept':
        return `into ${to.path}, which keeps it`;
      case 'shared':
      case 'frozen':
        return `into a ${to.kind} object, ${writeType(to.type)}`;
      case 'burned':
        return 'out of existence: it is burned';
      case 'destroyed':
        return 'out of existence: it is taken apart';
      case 'unread':
        return 'anywhere: code that was not read gets it';
    }
  }

  #arrives({ holder, type, atLeast, from }: ArrivesClaim): ExplanationSentence {
    const isFixed = atLeast !== '0';
    const amount = isFixed ? `At least ${writeAmount(atLeast, type)} comes` : `${writeType(type)} may come`;
    const origins = from.slice(0, namedMax).map((each) => this.#provenance(each));
    return {
      kind: 'arrives',
      verdict: isFixed ? 'always' : 'may',
      text: `${amount} to ${this.#holder(holder)}, ${origins.join(', or ')}${isFixed ? '' : '. No amount is certain'}.`,
    };
  }

  #provenance(from: Provenance): string {
    switch (from.kind) {
      case 'address':
      case 'object':
        return `from ${this.#holder(from)}`;
      case 'protocol':
        return `from the object ${from.id}`;
      case 'made':
        return 'made in the transaction';
      case 'unread':
        return 'from code that was not read';
    }
  }

  #holder(holder: Holder): string {
    if (holder.kind === 'object') return `the object ${holder.id}`;
    return holder.address === this.#claims.sender ? 'your address' : holder.address;
  }

  #rest(): ExplanationSentence {
    const { leaves, objects, changes, rest, packages } = this.#claims;
    const hasClaims = leaves.length + objects.length > 0;
    if (rest === 'cannot') {
      const what = hasClaims ? 'Nothing else' : 'Nothing';
      const isCovered = packages.length === 0 || changes.length > 0;
      const later = isCovered
        ? ''
        : ' This does not cover rights that a call gives to others, to take later.';
      return {
        kind: 'rest',
        verdict: 'cannot',
        text: `${what} leaves your address or a wallet, but for gas.${later}`,
      };
    }
    return { kind: 'rest', verdict: 'unread', text: 'Inputs were not read, and more may leave.' };
  }

  #gas(): ExplanationSentence {
    const { payer, atMost } = this.#claims.gas;
    const holder = this.#holder({ kind: 'address', address: payer });
    if (atMost === null) {
      return {
        kind: 'gas',
        verdict: 'may',
        text: `Gas is paid by ${holder}. The transaction sets no budget yet.`,
      };
    }
    return { kind: 'gas', verdict: 'may', text: `Gas costs ${holder} at most ${writeSui(atMost)}.` };
  }
}

/** Changes that a policy allows. */
const allowed: Readonly<Record<UpgradePolicy, string>> = {
  compatible: 'change all of its code',
  additive: 'add code and change none',
  dependencies: 'change the versions of its dependencies, and no code',
};

function writeModules(names: readonly string[]): string {
  const named = names
    .slice(0, namedMax)
    .map((name) => (name === '?' ? 'one that is not valid bytecode' : name));
  const others = names.length - named.length;
  const end = others > 0 ? ` and ${others} others` : '';
  return `the module${names.length === 1 ? '' : 's'} ${named.join(', ')}${end}`;
}

function describeChanges({ id, type, fields, otherFields }: ChangesClaim): ExplanationSentence {
  const named = fields.slice(0, namedMax).map((field) => field.replace(/0x[0-9a-f]{64}::/g, ''));
  const others = fields.length - named.length + otherFields;
  const end = others > 0 ? `, and ${others} others` : '';
  return {
    kind: 'changes',
    verdict: 'may',
    text: `Fields of the object ${id} (${writeType(type)}) may be written: ${named.join(', ')}${end}. A right of others to take later, such as a grant, is in such a field.`,
  };
}

function describeVersion({ id, named, found, kind }: VersionClaim): ExplanationSentence {
  if (kind === 'newer') {
    return {
      kind: 'versions',
      verdict: 'unread',
      text: `The transaction names version ${named} of the object ${id}, and the node has version ${found}. It runs in a later state than the one that was read here.`,
    };
  }
  const why = {
    older: `it names version ${named} of the object ${id}, which has version ${found} now`,
    content: `it names version ${named} of the object ${id} with another digest than the chain has`,
    shared: `it says that the object ${id} was shared at version ${named}, and it was at version ${found}`,
  }[kind];
  return { kind: 'versions', verdict: 'always', text: `The network refuses it: ${why}. Build it again.` };
}

function describePackage({ id, version, upgrade }: PackageClaim): ExplanationSentence {
  const name = `The package ${id}, version ${version},`;
  switch (upgrade.kind) {
    case 'address':
      return {
        kind: 'packages',
        verdict: 'may',
        text: `${name} may be upgraded by ${upgrade.address}. A new version can change the objects that this transaction uses.`,
      };
    case 'none':
      return {
        kind: 'packages',
        verdict: 'may',
        text: `${name} has no known holder of the right to upgrade it. ${upgrade.reason}`,
      };
    case 'unread':
      return {
        kind: 'packages',
        verdict: 'unread',
        text: `${name} may be upgraded: the right to do so was not read. ${upgrade.reason}`,
      };
  }
}

const suiDecimals = 9;

const writeSui = (amount: string): string => `${formatUnits(amount, suiDecimals)} SUI`;

const writeAmount = (amount: string, type: string): string =>
  isSui(type) ? writeSui(amount) : `${amount} base units of ${writeType(type)}`;

/** A type with short addresses of the framework. */
function writeType(type: string): string {
  if (isSui(type)) return 'SUI';
  return type === '?' ? 'money or objects' : type.replace(/0x0{63}([0-9a-f])(?=::)/g, '0x$1');
}
