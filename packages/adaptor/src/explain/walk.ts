import { normalizeAddress } from '../chain/names.ts';
import { Call, readNumber, unreadOrigin } from './call.ts';
import { Changes } from './changes.ts';
import type { Destination, NotReadClaim } from './explanation.ts';
import type { ExplainFacts } from './facts.ts';
import { makeStartingValues, type StartingValues } from './inputs.ts';
import { addPart, isCoin, isWithin, Movements, takeContent, takePart, type Value } from './origin.ts';
import { type Argument, type Command, functionKey, type MoveCall, type ParsedTransaction } from './parse.ts';
import { Publications } from './publications.ts';

/** The movements of a transaction, and the parts of it that could not be read. */
interface Walk {
  movements: Movements;
  notRead: NotReadClaim[];
  publications: Publications;
  changes: Changes;
  /** The values of the inputs, by their positions. */
  inputs: readonly Value[];
}

/** Follows money and objects through the commands of a transaction. @throws ExplainError beyond the bound on steps */
export function walk(transaction: ParsedTransaction, facts: ExplainFacts): Walk {
  const walker = new Walker(transaction, facts);
  for (const [index, command] of transaction.commands.entries()) walker.run(index, command);
  walker.settle();
  return walker;
}

/** The results of a command: each by its position, or one value that any of them can be. */
type Results = { each: Map<number, Value> } | { any: Value };

class Walker implements Walk {
  readonly movements = new Movements();
  readonly notRead: NotReadClaim[];
  readonly publications = new Publications();
  readonly changes = new Changes();
  readonly #transaction: ParsedTransaction;
  readonly #facts: ExplainFacts;
  readonly #start: StartingValues;
  readonly #results: Results[] = [];
  /** Objects to receive that the results of a command may hold a ticket for, by command. */
  readonly #tickets: Set<Value>[] = [];
  /** Values that a command has taken. They have no home any longer. */
  readonly #taken = new Set<Value>();

  constructor(transaction: ParsedTransaction, facts: ExplainFacts) {
    this.#transaction = transaction;
    this.#facts = facts;
    this.#start = makeStartingValues(transaction, facts);
    this.notRead = this.#start.notRead;
  }

  get inputs(): readonly Value[] {
    return this.#start.inputs;
  }

  run(index: number, command: Command): void {
    this.#tickets.push(new Set());
    this.#results.push(this.#run(index, command));
  }

  #run(index: number, command: Command): Results {
    switch (command.$kind) {
      case 'MoveCall':
        return this.#call(index, command.MoveCall);
      case 'SplitCoins': {
        const { coin, amounts } = command.SplitCoins;
        const whole = this.#value(coin);
        return {
          each: new Map(
            amounts.map((amount, at) => [at, this.#split(whole, readNumber(this.#value(amount)))]),
          ),
        };
      }
      case 'MergeCoins': {
        const { destination, sources } = command.MergeCoins;
        const into = this.#value(destination);
        for (const source of sources) this.#pour(this.#take(source), into);
        return none();
      }
      case 'TransferObjects': {
        const { objects, address } = command.TransferObjects;
        const { bytes } = this.#value(address);
        const to: Destination =
          bytes?.length === 32
            ? {
                kind: 'address',
                address: `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
              }
            : { kind: 'computedAddress' };
        for (const object of objects) this.#send(index, this.#take(object), to);
        return none();
      }
      case 'MakeMoveVec': {
        const { elements, type } = command.MakeMoveVec;
        const list: Value = { parts: new Map(), atLeast: 0n, ...(type && { type: `vector<${type}>` }) };
        this.#passTickets(index, elements);
        for (const element of elements) {
          const item = this.#take(element);
          if (item.access === 'receiving') list.access = 'receiving';
          this.#pour(item, list);
        }
        list.atLeast = 0n;
        return { each: new Map([[0, list]]) };
      }
      case 'Publish':
        return { each: new Map([[0, this.publications.publish(index, command.Publish.modules)]]) };
      case 'Upgrade':
        this.publications.upgrade(index, {
          ...command.Upgrade,
          package: normalizeAddress(command.Upgrade.package)!,
          ticket: this.#take(command.Upgrade.ticket),
        });
        this.notRead.push({
          command: index,
          what: command.Upgrade.package,
          reason:
            'This command adds a version of the package. Its code can change the objects of the package.',
        });
        return made(upgradeReceipt);
      default:
        return none();
    }
  }

  #split(whole: Value, amount: bigint | undefined): Value {
    const parts = [...whole.parts].map(([origin, type]) => [takePart(origin, amount), type] as const);
    this.movements.step(parts.length);
    whole.atLeast = amount !== undefined && whole.atLeast > amount ? whole.atLeast - amount : 0n;
    return { type: whole.type, parts: new Map(parts), atLeast: amount ?? 0n };
  }

  #pour(from: Value, into: Value): void {
    this.movements.step(from.parts.size);
    for (const [origin, type] of from.parts) {
      // A part of what is there already adds nothing.
      if (isWithin(origin, into.parts, this.movements)) continue;
      addPart(into, origin, type, !from.uncertain?.has(origin));
    }
    if (!into.isAny) into.atLeast += from.atLeast;
  }

  #send(command: number, value: Value, to: Destination): void {
    const holders = [...value.parts.keys()].map(({ holder }) => holder);
    const isForeign = !holders.some(
      (holder) => holder?.kind === 'address' && to.kind === 'address' && holder.address === to.address,
    );
    let atLeast = isForeign ? value.atLeast : 0n;
    for (const [origin, type] of value.parts) {
      // Money that a value does not have does not leave, so that all of it that leaves goes there.
      const isOpen = value.uncertain?.has(origin) && (value.isAny || !isCoin(origin.type));
      const likelihood = isOpen ? 'may' : 'always';
      this.movements.add({ origin, to, type: value.type ?? type, likelihood, command, atLeast });
      // All parts together are one amount.
      atLeast = 0n;
    }
  }

  #call(index: number, call: MoveCall): Results {
    const args = call.arguments.map((argument) => this.#value(argument));
    const takeTicket = this.publications.applyCall(index, call, args, this.movements);
    const results = this.#applyCall(index, call, args);
    takeTicket?.('any' in results ? results.any : resultAt(results.each, 0));
    return results;
  }

  #applyCall(index: number, call: MoveCall, args: readonly Value[]): Results {
    const key = functionKey(call);
    const fact = this.#facts.functions.get(key);
    const tickets = this.#passTickets(index, call.arguments);
    if (!fact || !('certificate' in fact)) {
      this.notRead.push({ command: index, what: key, reason: fact?.reason ?? 'The function was not read.' });
      return this.#callUnread(index, new Set([...args, ...tickets]));
    }
    const { sender } = this.#transaction;
    const { typeArguments } = call;
    const receivable = this.#start.inputs.filter(({ access }) => access === 'receiving');
    const { movements } = this;
    const context = { command: index, sender, typeArguments, args, movements, receivable, tickets };
    const applied = new Call(fact, context);
    this.changes.add(index, fact.certificate, args, movements);
    const results = applied.apply();
    for (const value of applied.taken()) this.#taken.add(value);
    if (results) return { each: results };
    this.notRead.push({ command: index, what: key, reason: 'Some of its code could not be read.' });
    return this.#callUnread(index, new Set([...applied.changeable(), ...tickets]));
  }

  /** A call that may do anything with its arguments. It reaches nothing else: code has no access to what it is not given. */
  #callUnread(command: number, args: ReadonlySet<Value>): Results {
    const any: Value = { parts: new Map([[unreadOrigin('?'), '?']]), isAny: true, atLeast: 0n };
    for (const value of args) {
      if (value.access === 'fixed') continue;
      value.atLeast = 0n;
      value.bytes = undefined;
      for (const [origin, type] of [...value.parts]) {
        const lost = { to: { kind: 'unread' }, likelihood: 'unread', command, atLeast: 0n } as const;
        this.movements.add({ ...lost, origin, type });
        if (origin.objectId !== undefined) {
          this.movements.add({ ...lost, origin: takeContent(origin, '?'), type: '?' });
        }
        addPart(any, origin, type, false);
      }
      value.parts.set(unreadOrigin(value.type ?? '?'), value.type ?? '?');
    }
    return { any };
  }

  /**
   * Finds the objects whose tickets a command gets, also within results of former commands. Its results, and
   * those that it can change, may hold the tickets then.
   */
  #passTickets(index: number, args: readonly Argument[]): ReadonlySet<Value> {
    const own = this.#tickets[index]!;
    const holding = args.flatMap((argument) => {
      if (argument.$kind === 'Result') return this.#tickets[argument.Result] ?? [];
      return (argument.$kind === 'NestedResult' && this.#tickets[argument.NestedResult[0]]) || [];
    });
    for (const argument of args) {
      if (argument.$kind !== 'Input') continue;
      const value = this.#value(argument);
      if (value.access === 'receiving') own.add(value);
    }
    for (const tickets of holding) {
      this.movements.step(tickets.size);
      for (const ticket of tickets) own.add(ticket);
    }
    for (const tickets of holding) {
      this.movements.step(own.size);
      for (const ticket of own) tickets.add(ticket);
    }
    return own;
  }

  #take(argument: Argument): Value {
    const value = this.#value(argument);
    this.#taken.add(value);
    return value;
  }

  #value(argument: Argument): Value {
    switch (argument.$kind) {
      case 'GasCoin':
        return this.#start.gas;
      case 'Input':
        return this.#start.inputs[argument.Input] ?? nothing();
      case 'Result':
        return this.#result(argument.Result, 0);
      case 'NestedResult':
        return this.#result(...argument.NestedResult);
    }
  }

  #result(command: number, position: number): Value {
    const results = this.#results[command];
    if (!results) return nothing();
    if ('any' in results) return results.any;
    return resultAt(results.each, position);
  }

  /** Records what was added to inputs that stay where they are. */
  settle(): void {
    const command = this.#transaction.commands.length - 1;
    for (const value of new Set([...this.#start.inputs, this.#start.gas])) {
      const { home } = value;
      if (!home || this.#taken.has(value)) continue;
      for (const [origin, type] of value.parts) {
        if (origin.objectId !== undefined && origin.objectId === value.objectId) continue;
        this.movements.add({ origin, to: home, type, likelihood: 'may', command, atLeast: 0n });
      }
    }
  }
}

function resultAt(results: Map<number, Value>, position: number): Value {
  const value = results.get(position) ?? nothing();
  results.set(position, value);
  return value;
}

const none = (): Results => ({ each: new Map() });
const nothing = (): Value => ({ parts: new Map(), atLeast: 0n });

const framework = `0x${'2'.padStart(64, '0')}`;
const upgradeReceipt = `${framework}::package::UpgradeReceipt`;

const made = (type: string): Results => ({
  each: new Map([[0, { type, parts: new Map([[{ from: { kind: 'made' }, type }, type]]), atLeast: 0n }]]),
});
