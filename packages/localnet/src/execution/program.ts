import type { LoadedPackage, PackageCache } from '../vm/loader/package.ts';
import type { Meter } from '../vm/meter.ts';
import { Machine } from '../vm/runtime/machine.ts';
import { Session } from '../vm/runtime/session.ts';
import { DROP, hasAbility, type Type } from '../vm/types.ts';
import { ByteVector, StructValue } from '../vm/values.ts';
import { argumentFailure, CommandFailure } from './failures.ts';
import { coinValue, SUI_COIN, txContextValue, withdrawalOf } from './framework.ts';
import type { CommandOutputs } from './outputs.ts';
import { ObjectSlot, PureSlot, ReceivingSlot, type Slot, ValueSlot } from './slots.ts';
import { TransactionLinkage } from './transaction-linkage.ts';
import {
  type Argument,
  argumentsOf,
  type Command,
  type ExecutionInput,
  type ExecutionOutcome,
} from './types.ts';

/** One transaction while it runs: its inputs, the results so far, and the machine that runs calls. */
export class Program {
  readonly input: ExecutionInput;
  readonly packages: PackageCache;
  readonly session: Session;
  readonly machine: Machine;
  readonly inputs: Slot[];
  readonly gas: ValueSlot | undefined;
  /** Whose funds `sui::coin::send_funds` added the gas coin to. */
  gasSentTo: string | undefined;
  readonly results: ValueSlot[][] = [];
  readonly outputs: CommandOutputs;
  readonly linkage: TransactionLinkage;
  readonly published: ExecutionOutcome['packages'] = [];
  readonly txContext: [StructValue];
  readonly #uses: Map<string, number>;

  constructor(input: ExecutionInput, packages: PackageCache, meter: Meter, outputs: CommandOutputs) {
    this.input = input;
    this.outputs = outputs;
    this.packages = packages;
    this.#uses = usesOf(input.commands);
    this.linkage = new TransactionLinkage(this, input.commands);
    const readMove = (id: string) => {
      const object = input.readObject(id);
      return object?.kind === 'move' ? object : undefined;
    };
    this.session = new Session(input, readMove, meter, input.readFunds);
    this.machine = new Machine(meter, this.session);
    this.inputs = input.inputs.map((argument) => this.#slot(argument));
    this.gas = input.gasCoin ? this.#objectSlot(input.gasCoin, true) : this.#gasOfFunds();
    this.txContext = [
      txContextValue(
        input.sender,
        new ByteVector(Uint8Array.from(this.session.context.digest)),
        input.epoch,
        input.epochTimestampMs,
      ),
    ];
  }

  load(packageId: string): LoadedPackage {
    return this.packages.load(packageId, this.input.readObject);
  }

  type(name: string): Type {
    return this.packages.type(name, this.input.readObject);
  }

  /**
   * The slot that an argument names, once for each argument; `index` is the argument's place in its command, for the
   * error.
   */
  slot(argument: Argument, index: number): Slot {
    switch (argument.$kind) {
      case 'GasCoin':
        if (this.gas === undefined) throw argumentFailure(index, 'InvalidGasCoinUsage');
        return this.gas;
      case 'Input':
        return this.inputs[argument.Input] ?? fail(index, 'IndexOutOfBounds');
      case 'Result': {
        const values = this.results[argument.Result] ?? fail(index, 'IndexOutOfBounds');
        const [only, ...more] = values;
        if (only === undefined || more.length > 0) throw argumentFailure(index, 'InvalidResultArity');
        return used(only);
      }
      case 'NestedResult': {
        const [command, value] = argument.NestedResult;
        const values = this.results[command] ?? fail(index, 'IndexOutOfBounds');
        return used(values[value] ?? fail(index, 'SecondaryIndexOutOfBounds'));
      }
    }
  }

  addResults(slots: ValueSlot[]): void {
    const command = this.results.length;
    for (const [i, slot] of slots.entries()) slot.usesLeft = this.#uses.get(`${command}:${i}`) ?? 0;
    this.results.push(slots);
  }

  /** Values that nobody took: those that cannot be dropped end the transaction. */
  checkUnused(): void {
    if (this.input.unchecked) return;
    for (const [result, slots] of this.results.entries()) {
      for (const [secondary, { type, cells }] of slots.entries()) {
        if (cells[0] === undefined || hasAbility(type, DROP)) continue;
        throw new CommandFailure({ kind: 'UnusedValueWithoutDrop', result, secondary });
      }
    }
  }

  #slot(argument: ExecutionInput['inputs'][number]): Slot {
    if (argument.kind === 'pure') return new PureSlot(argument.bytes);
    if (argument.kind === 'receiving') {
      this.session.objects.addReceivable(argument.object);
      return new ReceivingSlot(argument.object);
    }
    if (argument.kind === 'withdrawal') {
      const { owner, coinType, amount } = argument;
      return new ValueSlot(this.type(withdrawalOf(coinType)), new StructValue([owner, amount]));
    }
    return this.#objectSlot(argument.object, argument.mutable);
  }

  #objectSlot(object: ObjectSlot['object'], mutable: boolean): ObjectSlot {
    this.session.objects.addInput(object);
    return new ObjectSlot(this.type(object.type), object, mutable);
  }

  /** It takes the transaction's first new id, as on chain, also where no command uses it. */
  #gasOfFunds(): ValueSlot | undefined {
    const { gasFunds } = this.input;
    if (gasFunds === undefined) return undefined;
    const id = this.session.context.freshId();
    this.session.objects.recordNew(id);
    return new ValueSlot(this.type(SUI_COIN), coinValue(id, gasFunds.amount));
  }
}

function used(slot: ValueSlot): ValueSlot {
  slot.usesLeft -= 1;
  return slot;
}

/** How many arguments name each result, by `command:value`. */
function usesOf(commands: readonly Command[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const argument of commands.flatMap(argumentsOf)) {
    if (argument.$kind !== 'Result' && argument.$kind !== 'NestedResult') continue;
    const [command, value] = argument.$kind === 'Result' ? [argument.Result, 0] : argument.NestedResult;
    const key = `${command}:${value}`;
    uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  return uses;
}

function fail(index: number, error: 'IndexOutOfBounds' | 'SecondaryIndexOutOfBounds'): never {
  throw argumentFailure(index, error);
}
