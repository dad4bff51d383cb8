import type { Argument, Command, ExecutionArgument } from '@adaptor-marketplace/localnet/execution/types';
import type { MoveObject } from '@adaptor-marketplace/localnet/state/objects';
import { bcs } from '@mysten/sui/bcs';
import type { Tape } from '../../support/tape.ts';
import { actors } from './actors.ts';
import { clockId, readClock } from './clock.ts';
import { makePure, type PureFacts, splitType } from './pure.ts';
import { closers, jobStates, type Recipe, type Role } from './recipes.ts';
import type { Signature } from './signatures.ts';
import { bare, nameFully, pickType, preferTypes, shorten, substitute, type TypePreference } from './types.ts';
import type { View } from './view.ts';
import type { World } from './world.ts';

/** A transaction before it is executed. */
export interface Program {
  sender: string;
  inputs: ExecutionArgument[];
  commands: Command[];
  /** Names of the calls as `package::module::function`, by command; undefined for other commands. */
  called: (string | undefined)[];
}

interface Value {
  type: string;
  argument: Argument;
  used: boolean;
}

const closersMax = 8;
/** Builds one transaction: chooses who sends it and what it is about, then the arguments of its calls. */
export class ProgramBuilder {
  readonly #tape: Tape;
  readonly #world: World;
  readonly #view: View;
  #facts: PureFacts;
  readonly #inputs: ExecutionArgument[] = [];
  readonly #objectInputs = new Map<string, number>();
  readonly #commands: Command[] = [];
  readonly #called: (string | undefined)[] = [];
  readonly #values: Value[] = [];
  /** Ids that the objects of the program should have to do with, in hex without `0x`. */
  readonly #focus: string[] = [];
  #preference: TypePreference;
  readonly #walletId: string;
  #sender: string = actors[0]!;

  constructor(tape: Tape, world: World, view: View, knownIds: readonly string[]) {
    this.#tape = tape;
    this.#world = world;
    this.#view = view;
    const wallets = [...view.wallets.keys()];
    // The first two have grants, caps and a policy.
    this.#walletId = tape.pick(tape.next(4) > 0 ? wallets.slice(0, 2) : wallets);
    this.#preference = preferTypes(tape);
    this.#facts = {
      sender: actors[0]!,
      nowMs: readClock(world.chain.objects),
      amount: tape.pick([10n, 1n, 5n, 10n, 100n, 60n, 1_000n, 0n]),
      recipient: tape.once(6) ? this.#walletId : tape.pick(actors),
      marketId: world.packages.market!,
      delegate: tape.pick([...(view.wallets.get(this.#walletId)?.expiries.keys() ?? []), ...actors]),
      ids: [...view.caps.values()]
        .flatMap(({ id, walletId }) => (walletId === this.#walletId ? [id] : []))
        .concat(this.#walletId),
      knownIds,
    };
    this.#focus.push(this.#walletId.slice(2));
  }

  build({ by, calls }: Recipe, isDisturbed: boolean): Program {
    const signatures = calls.map((name) => this.#world.signatures.find((each) => each.name === name)!);
    if (calls.includes('rules::rule::enforce')) this.#chooseRecipient();
    if (calls.some((name) => name.startsWith('escrow::'))) this.#chooseJob(calls);
    this.#sender =
      isDisturbed && this.#tape.next(2) === 1 ? this.#tape.pick(actors) : this.#pickSender(by, signatures);
    this.#facts = { ...this.#facts, sender: this.#sender };
    for (const signature of signatures) this.#call(signature);
    if (!isDisturbed || !this.#tape.once(3)) this.#close();
    return {
      sender: this.#sender,
      inputs: this.#inputs,
      commands: this.#commands,
      called: this.#called,
    };
  }

  /** Chooses mostly a recipient that a list of the wallet allows, even one that is retired. */
  #chooseRecipient(): void {
    const lists = [...this.#view.lists.values()].filter(({ walletId }) => walletId === this.#walletId);
    const allowed = lists.flatMap((list) => list.allowed);
    if (allowed.length === 0 || this.#tape.once(4)) return;
    this.#facts = { ...this.#facts, recipient: this.#tape.pick(allowed) };
  }

  /** Lets the program be about a job of its wallet, with its coin and mostly its amount and provider. */
  #chooseJob(calls: readonly string[]): void {
    const jobs = [...this.#view.jobs.values()].filter(({ walletId }) => walletId === this.#walletId);
    if (jobs.length === 0) return;
    const states = calls.flatMap((name) => jobStates[name] ?? []);
    const ready = this.#tape.once(4) ? [] : jobs.filter(({ state }) => states.includes(state));
    const { id, amount, provider, coin } = this.#tape.pick(ready.length > 0 ? ready : jobs);
    this.#preference = { ...this.#preference, coin: shorten(coin) };
    this.#focus.unshift(id.slice(2));
    const recipient = this.#tape.once(8) ? this.#facts.recipient : provider;
    this.#facts = { ...this.#facts, amount: this.#tape.once(8) ? this.#facts.amount : amount, recipient };
  }

  #pickSender(by: Role, signatures: readonly Signature[]): string {
    const wallet = this.#view.wallets.get(this.#walletId)!;
    if (by === 'owner') return wallet.owner;
    if (by === 'delegate') return this.#tape.once(4) ? this.#tape.pick(actors) : this.#facts.delegate;
    if (by === 'provider') return this.#facts.recipient;
    if (by === 'publisher') {
      const entries = [...this.#view.entries.values()];
      if (entries.length > 0) return this.#tape.pick(entries).publisher;
    }
    if (by === 'anyone' || by === 'publisher') return this.#tape.pick(actors);
    if (wallet.offeredTo && signatures[0]?.name.endsWith('accept_ownership')) return wallet.offeredTo;
    for (const { parameters } of signatures) {
      for (const { type } of parameters) {
        const { head } = splitType(bare(type));
        if (!/Cap$/.test(head)) continue;
        const caps = this.#preferFocus(
          this.#listObjects((object) => shorten(object.type) === head && object.owner.kind === 'address'),
        );
        if (caps.length === 0) continue;
        const cap = this.#tape.pick(caps);
        this.#focus.unshift(cap.id.slice(2));
        // An assessor's cap says its job.
        if (head === 'AssessorCap')
          this.#focus.unshift(Buffer.from(cap.contents.subarray(32)).toString('hex'));
        if (cap.owner.kind === 'address') return cap.owner.address;
      }
    }
    return this.#tape.pick(actors);
  }

  /** Adds a call, unless one of its arguments cannot be made. */
  #call(signature: Signature): boolean {
    const types = this.#chooseTypes(signature);
    const args: Argument[] = [];
    const used: Value[] = [];
    for (const { name, type } of signature.parameters) {
      const isReference = type.startsWith('&');
      const argument = this.#argument(name, substitute(bare(type), types), !isReference, used, signature);
      if (argument === undefined) return false;
      args.push(argument);
    }
    for (const value of used) value.used = true;
    const [packageName, module, functionName] = signature.name.split('::') as [string, string, string];
    const command = this.#push(
      {
        $kind: 'MoveCall',
        MoveCall: {
          package: this.#world.packages[packageName]!,
          module,
          function: functionName,
          typeArguments: signature.typeParameters.map((each) =>
            nameFully(this.#world.packages, types.get(each)!),
          ),
          arguments: args,
        },
      },
      signature.name,
    );
    signature.results.forEach((type, index) => {
      this.#values.push({
        type: substitute(type, types),
        argument: { $kind: 'NestedResult', NestedResult: [command, index] },
        used: false,
      });
    });
    return true;
  }

  /** Chooses types so that values which must be used up fit. */
  #chooseTypes({ typeParameters, parameters, name }: Signature): Map<string, string> {
    const types = new Map<string, string>();
    for (const { type } of parameters) {
      const { head, of } = splitType(bare(type));
      if (of.length === 0 || head === 'Option' || head === 'vector') continue;
      const value = this.#values.findLast((each) => !each.used && splitType(each.type).head === head);
      const found = value ? splitType(value.type).of : this.#typesOfFocus(head);
      of.forEach((parameter, index) => {
        const chosen = found?.[index];
        if (chosen !== undefined && !types.has(parameter)) types.set(parameter, chosen);
      });
    }
    for (const parameter of typeParameters) {
      if (!types.has(parameter))
        types.set(parameter, pickType(this.#tape, parameter, name, types, this.#preference));
    }
    return types;
  }

  #typesOfFocus(head: string): string[] | undefined {
    if (head !== 'Job') return undefined;
    const [job] = this.#preferFocus(
      this.#listObjects((object) => splitType(shorten(object.type)).head === head),
    );
    return job && splitType(shorten(job.type)).of;
  }

  #argument(
    name: string,
    type: string,
    isByValue: boolean,
    used: Value[],
    signature: Signature,
  ): Argument | undefined {
    const bytes = makePure(this.#tape, { name, type }, this.#facts);
    if (bytes !== undefined) return this.#input({ kind: 'pure', bytes });
    const { head, of } = splitType(type);
    const value = this.#values.findLast((each) => !each.used && each.type === type && !used.includes(each));
    if (value !== undefined) {
      if (isByValue) used.push(value);
      return value.argument;
    }
    if (head === 'Clock') return this.#objectInput(this.#world.chain.object(clockId), false);
    if (head === 'S' || head === 'T') return this.#callMarket(head.toLowerCase());
    if (head === 'Coin') return this.#split(type);
    if (head === 'Toy') return this.#callMarket('toy');
    if (head === 'Receiving') return this.#receiving(of[0]!);
    const packageId = this.#world.packages[signature.name.split('::')[0]!]!;
    const fits = this.#listObjects(
      (object) =>
        shorten(object.type) === type &&
        this.#canUse(object) &&
        (head !== 'Registry' || object.type.startsWith(packageId)),
    );
    if (head === 'UpgradeCap') this.#focus.push(packageId.slice(2));
    const objects = this.#preferFocus(fits);
    if (objects.length === 0) return undefined;
    return this.#objectInput(this.#tape.pick(objects), true);
  }

  /** Objects as a node would accept them: owned by the sender, or shared. */
  #canUse({ owner }: MoveObject): boolean {
    return owner.kind === 'shared' || (owner.kind === 'address' && owner.address === this.#sender);
  }

  #listObjects(fits: (object: MoveObject) => boolean): MoveObject[] {
    return [...this.#world.chain.objects.values()].filter(
      (object): object is MoveObject => object.kind === 'move' && fits(object),
    );
  }

  /** Keeps objects that contain the first possible id of the focus; all if there are none, and one time in eight. */
  #preferFocus(objects: readonly MoveObject[]): readonly MoveObject[] {
    if (objects.length < 2 || this.#tape.once(8)) return objects;
    for (const id of this.#focus) {
      const near = objects.filter(({ contents }) => Buffer.from(contents).toString('hex').includes(id));
      if (near.length > 0) return near;
    }
    return objects;
  }

  #split(type: string): Argument | undefined {
    const coins = this.#listObjects((object) => shorten(object.type) === type && this.#canUse(object));
    const coin = coins[0];
    if (coin === undefined) return undefined;
    const amount = this.#input({ kind: 'pure', bytes: bcs.u64().serialize(this.#facts.amount).toBytes() });
    const command = this.#push({
      $kind: 'SplitCoins',
      SplitCoins: { coin: this.#objectInput(coin, true), amounts: [amount] },
    });
    return { $kind: 'NestedResult', NestedResult: [command, 0] };
  }

  #receiving(type: string): Argument | undefined {
    const parents = new Set(this.#view.wallets.keys());
    const coins = this.#listObjects(
      ({ type: of, owner }) => shorten(of) === type && owner.kind === 'address' && parents.has(owner.address),
    );
    if (coins.length === 0) return undefined;
    const object = this.#tape.pick(coins);
    if (object.owner.kind === 'address') this.#focus.unshift(object.owner.address.slice(2));
    return this.#input({ kind: 'receiving', object });
  }

  #callMarket(name: string): Argument {
    const command = this.#push({
      $kind: 'MoveCall',
      MoveCall: {
        package: this.#facts.marketId,
        module: 'market',
        function: name,
        typeArguments: [],
        arguments: [],
      },
    });
    return { $kind: 'NestedResult', NestedResult: [command, 0] };
  }

  /** Uses up what is left over: potatoes by their closers, objects by a transfer. */
  #close(): void {
    for (let round = 0; round < closersMax; round += 1) {
      const value = this.#values.find((each) => !each.used && closers[splitType(each.type).head]);
      if (value === undefined) break;
      const name = closers[splitType(value.type).head]!;
      if (!this.#call(this.#world.signatures.find((each) => each.name === name)!)) value.used = true;
    }
    const rest = this.#values.filter(({ used, type }) => !used && /^(Coin<|\w+Cap$|Toy$)/.test(type));
    if (rest.length === 0) return;
    const to = this.#tape.next(3) === 0 ? this.#facts.recipient : this.#sender;
    const address = this.#input({ kind: 'pure', bytes: bcs.Address.serialize(to).toBytes() });
    this.#push({
      $kind: 'TransferObjects',
      TransferObjects: { objects: rest.map(({ argument }) => argument), address },
    });
  }

  #push(command: Command, name?: string): number {
    this.#called.push(name);
    return this.#commands.push(command) - 1;
  }

  #input(input: ExecutionArgument): Argument {
    return { $kind: 'Input', Input: this.#inputs.push(input) - 1 };
  }

  #objectInput(object: MoveObject, mutable: boolean): Argument {
    const known = this.#objectInputs.get(object.id);
    if (known !== undefined) return { $kind: 'Input', Input: known };
    this.#objectInputs.set(object.id, this.#inputs.length);
    return this.#input({ kind: 'object', object, mutable });
  }
}
