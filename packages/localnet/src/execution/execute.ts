import { PackageCache } from '../vm/loader/package.ts';
import { Meter } from '../vm/meter.ts';
import { derivedId } from '../vm/runtime/transaction-context.ts';
import { objectChanges } from './changes.ts';
import { reasonOf } from './failures.ts';
import { coinAmount } from './framework.ts';
import { runMoveCall } from './move-call.ts';
import { makeMoveVec, mergeCoins, splitCoins, transferObjects } from './object-commands.ts';
import { CommandOutputs } from './outputs.ts';
import { Program } from './program.ts';
import { publish } from './publish.ts';
import type { Command, ExecutionFailure, ExecutionInput, ExecutionOutcome } from './types.ts';
import { upgrade } from './upgrade.ts';

/** Work that a transaction may do when nobody bounds it; keeps numbers exact. */
const MAX_UNITS = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Runs one programmable transaction against the objects that `input` gives. It changes nothing: what would
 * change is in the outcome. A failed transaction has no writes but the gas coin as it was given. `packages`
 * outlives transactions; packages that this one publishes are not put into it.
 */
export function executeTransaction(input: ExecutionInput, packages: PackageCache): ExecutionOutcome {
  const { maxComputationUnits } = input;
  const meter = new Meter(Number(maxComputationUnits < MAX_UNITS ? maxComputationUnits : MAX_UNITS));
  const outputs = new CommandOutputs(input.maxOutputBytes);
  let command: number | undefined;
  let program: Program | undefined;
  try {
    program = new Program(input, new PackageCache(packages), meter, outputs);
    for (const [i, each] of input.commands.entries()) {
      command = i;
      program.linkage.addCommand(each);
    }
    for (const [i, each] of input.commands.entries()) {
      command = i;
      meter.charge(COMMAND_UNITS);
      runCommand(program, each);
    }
    command = undefined;
    program.checkUnused();
    return {
      failure: undefined,
      writes: objectChanges(program),
      packages: program.published,
      loaded: [...program.session.objects.loaded.values()],
      events: program.session.events.map((event) => ({ ...event, sender: input.sender })),
      funds: program.session.funds.writes,
      ...gasOutcome(program),
      computationUnits: BigInt(meter.used),
      commandOutputs: outputs.all,
    };
  } catch (error) {
    const failure: ExecutionFailure = { command, reason: reasonOf(error) };
    return {
      ...failed(input, failure, BigInt(meter.used), outputs),
      loaded: [...(program?.session.objects.loaded.values() ?? [])],
    };
  }
}

/** What a command costs before it does anything, in units. */
const COMMAND_UNITS = 50;

function runCommand(program: Program, command: Command): void {
  switch (command.$kind) {
    case 'MoveCall':
      runMoveCall(program, command.MoveCall);
      break;
    case 'TransferObjects':
      transferObjects(program, command.TransferObjects);
      break;
    case 'SplitCoins':
      splitCoins(program, command.SplitCoins);
      break;
    case 'MergeCoins':
      mergeCoins(program, command.MergeCoins);
      break;
    case 'MakeMoveVec':
      makeMoveVec(program, command.MakeMoveVec);
      break;
    case 'Publish':
      publish(program, command.Publish);
      break;
    case 'Upgrade':
      upgrade(program, command.Upgrade);
  }
}

function gasOutcome({
  input,
  gas,
  gasSentTo,
  session,
}: Program): Pick<ExecutionOutcome, 'gasLeft' | 'gasMoved'> {
  if (gasSentTo !== undefined) return { gasMoved: { kind: 'funds', owner: gasSentTo } };
  if (input.gasFunds === undefined || gas === undefined) return {};
  const [coin] = gas.cells;
  if (coin !== undefined) return { gasLeft: coinAmount(coin) };
  return { gasMoved: { kind: 'object', id: derivedId(session.context.digest, 0n) } };
}

function failed(
  { gasCoin }: ExecutionInput,
  failure: ExecutionFailure,
  computationUnits: bigint,
  outputs: CommandOutputs,
): Omit<ExecutionOutcome, 'loaded'> {
  const writes: ExecutionOutcome['writes'] = [];
  if (gasCoin !== undefined) {
    const { id, type, contents, hasPublicTransfer, owner } = gasCoin;
    writes.push({ change: 'mutated', id, type, contents, hasPublicTransfer, owner });
  }
  return {
    failure,
    writes,
    packages: [],
    events: [],
    funds: [],
    computationUnits,
    commandOutputs: outputs.all,
  };
}
