import { BytecodeError, parseModule } from '@adaptor-marketplace/move-bytecode';
import { fromBase64 } from '@mysten/sui/utils';
import type { Holder, PublishClaim, UpgradeClaim, UpgradePolicy } from './explanation.ts';
import type { ObjectFact } from './facts.ts';
import type { Movement, Movements, Origin, Value } from './origin.ts';
import { functionKey, identifier, type MoveCall } from './parse.ts';
import { listRoutes } from './summarize.ts';

const framework = `0x${'2'.padStart(64, '0')}`;
const upgradeCap = `${framework}::package::UpgradeCap`;

/** Policies by their number on chain, the least strict first. */
const policies: ReadonlyMap<number, UpgradePolicy> = new Map([
  [0, 'compatible'],
  [128, 'additive'],
  [192, 'dependencies'],
]);

interface Ticket {
  policy: UpgradePolicy | undefined;
  capId: string | undefined;
}

type Publish = Omit<PublishClaim, 'cap'> & { origin: Origin };

/** Publications and upgrades of a transaction, with the UpgradeCaps and tickets that they use or create. */
export class Publications {
  readonly #publishes: Publish[] = [];
  readonly #upgrades: Omit<UpgradeClaim, 'cap'>[] = [];
  /** Id of the UpgradeCap of each upgrade, if it is known. */
  readonly #caps: (string | undefined)[] = [];
  /** Upgrade tickets by the value that holds the ticket. */
  readonly #tickets = new Map<Value, Ticket>();

  /** Returns the UpgradeCap of a new package. */
  publish(command: number, modules: readonly string[]): Value {
    const origin: Origin = { from: { kind: 'made' }, type: upgradeCap };
    this.#publishes.push({ command, modules: modules.map(readModuleName), policy: 'compatible', origin });
    return { type: upgradeCap, parts: new Map([[origin, upgradeCap]]), atLeast: 0n };
  }

  upgrade(command: number, { package: id, modules, ticket }: Upgrade): void {
    const { policy, capId } = this.#tickets.get(ticket) ?? {};
    this.#upgrades.push({
      command,
      package: id,
      modules: modules.map(readModuleName),
      policy: policy ?? null,
    });
    this.#caps.push(capId);
  }

  /**
   * Applies a call of the framework to the caps of new packages.
   * @returns a function that takes the result of the call; undefined if the call makes no upgrade ticket
   */
  applyCall(
    command: number,
    call: MoveCall,
    args: readonly Value[],
    movements: Movements,
  ): ((result: Value) => void) | undefined {
    const [cap, policyNumber] = args;
    switch (functionKey(call)) {
      case `${framework}::package::authorize_upgrade`: {
        const [policy] = policyNumber?.bytes?.length === 1 ? policyNumber.bytes : [];
        const ticket = { policy: policies.get(policy ?? -1), capId: cap?.objectId };
        return (result) => this.#tickets.set(result, ticket);
      }
      case `${framework}::package::only_additive_upgrades`:
        this.#restrict(cap, 'additive');
        return undefined;
      case `${framework}::package::only_dep_upgrades`:
        this.#restrict(cap, 'dependencies');
        return undefined;
      case `${framework}::package::make_immutable`:
        for (const { origin } of this.#listPublishes(cap)) {
          const likelihood = isCertain(cap, origin) ? 'always' : 'may';
          const end = { to: { kind: 'destroyed' }, likelihood, atLeast: 0n } as const;
          movements.add({ origin, type: upgradeCap, command, ...end });
        }
        return undefined;
      default:
        return undefined;
    }
  }

  #listPublishes(cap: Value | undefined): Publish[] {
    return this.#publishes.filter(({ origin }) => cap?.parts.has(origin));
  }

  #restrict(cap: Value | undefined, policy: UpgradePolicy): void {
    const strictness = [...policies.values()];
    for (const publish of this.#listPublishes(cap)) {
      if (!isCertain(cap, publish.origin)) continue;
      if (strictness.indexOf(policy) > strictness.indexOf(publish.policy)) publish.policy = policy;
    }
  }

  listPublishClaims(movements: readonly Movement[]): PublishClaim[] {
    const byOrigin = Map.groupBy(movements, ({ origin }) => origin);
    return this.#publishes.map(({ origin, ...claim }) => ({
      ...claim,
      cap: listRoutes(byOrigin.get(origin) ?? []),
    }));
  }

  listUpgradeClaims(objects: ReadonlyMap<string, ObjectFact>): UpgradeClaim[] {
    return this.#upgrades.map((claim, at) => {
      const id = this.#caps[at];
      return { ...claim, cap: id === undefined ? null : { id, holder: findHolder(objects.get(id)) } };
    });
  }
}

interface Upgrade {
  package: string;
  modules: readonly string[];
  ticket: Value;
}

/** Returns `false` if the value can be the cap of another package. */
const isCertain = (cap: Value | undefined, origin: Origin): boolean => !cap?.uncertain?.has(origin);

function findHolder(object: ObjectFact | undefined): Holder | null {
  const owner = object?.owner;
  return owner?.kind === 'address' || owner?.kind === 'object' ? owner : null;
}

/** Reads the name of a module from its bytecode in base64. Returns `?` if it has none that can be shown. */
function readModuleName(text: string): string {
  try {
    const {
      module_handles: handles,
      self_module_handle_idx: self,
      identifiers,
    } = parseModule(fromBase64(text));
    const name = identifiers[handles[self]!.name]!;
    return identifier.test(name) ? name : '?';
  } catch (error) {
    if (error instanceof BytecodeError) return '?';
    throw error;
  }
}
