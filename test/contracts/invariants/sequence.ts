import type { ExecutionOutcome } from '@adaptor-marketplace/localnet/execution/types';
import type { StoredObject } from '@adaptor-marketplace/localnet/state/objects';
import { Tape } from '../../support/tape.ts';
import { numberDigest } from './call.ts';
import { passTime, readClock } from './clock.ts';
import { makeProgram } from './make-program.ts';
import { invariants } from './oracle.ts';
import { probeOwners } from './probes.ts';
import type { Program } from './program.ts';
import type { Tally } from './tally.ts';
import { readView } from './view.ts';
import type { World } from './world.ts';

/** An invariant that a sequence broke, and the calls until then. */
export class InvariantBroken extends Error {
  readonly invariant: string;

  constructor(invariant: string, faults: readonly string[], history: readonly string[]) {
    super(`${invariant}: ${faults.join('; ')}\n${history.join('\n')}`);
    this.name = 'InvariantBroken';
    this.invariant = invariant;
  }
}

const versionOffsets: readonly [RegExp, (bytes: Uint8Array) => number][] = [
  [/::(wallet::Wallet|rule::Allowlist|registry::Registry)$/, () => 32],
  [/::job::Job<.*>$/, ({ length }) => length - 8],
];

/**
 * Plays a sequence of transactions on a new chain; each list of numbers decides one.
 * @throws InvariantBroken
 */
export function playSequence(world: World, steps: readonly (readonly number[])[], tally: Tally): void {
  const { chain } = world;
  chain.objects.clear();
  for (const [id, object] of world.genesis) chain.objects.set(id, object);
  const history: string[] = [];
  const knownIds = new Set<string>();
  let view = readView(chain.objects);
  for (const [number, numbers] of steps.entries()) {
    const tape = new Tape(numbers);
    const kind = tape.next(16);
    if (kind === 14) {
      const ms = tape.pick([3_600_000n, 1n, 20n * 3_600_000n, 800n * 3_600_000n]);
      passTime(chain, ms);
      history.push(`${ms} ms pass`);
      continue;
    }
    if (kind === 15) {
      const changed = setVersion(world, tape);
      if (changed !== undefined) history.push(changed);
      view = readView(chain.objects);
      continue;
    }
    for (const id of view.caps.keys()) knownIds.add(id);
    const program = makeProgram(tape, world, view, [...knownIds]);
    if (program.commands.length === 0) continue;
    const nowMs = readClock(chain.objects);
    const before = view;
    const outcome = chain.run(program.commands, {
      transactionDigest: numberDigest(number + 1),
      sender: program.sender,
      inputs: program.inputs,
      maxOutputBytes: 0,
    });
    tally.count(program, outcome);
    history.push(describe(program, outcome));
    if (outcome.failure !== undefined) continue;
    view = readView(chain.objects);
    const step = { program, before, after: view, events: outcome.events, nowMs };
    for (const [name, check] of Object.entries(invariants)) judge(name, check(step));
  }
  for (const [name, faults] of probeOwners(world, view)) judge(name, faults);

  function judge(name: string, faults: readonly string[]): void {
    tally.checked(name);
    if (faults.length > 0) throw new InvariantBroken(name, faults, history);
  }
}

/** Gives an object that has a version another one, as an upgrade of its package would. */
function setVersion({ chain }: World, tape: Tape): string | undefined {
  const versioned = [...chain.objects.values()].flatMap((object: StoredObject) => {
    if (object.kind !== 'move') return [];
    const offset = versionOffsets.find(([type]) => type.test(object.type))?.[1](object.contents);
    return offset === undefined ? [] : [{ object, offset }];
  });
  if (versioned.length === 0) return undefined;
  const { object, offset } = tape.pick(versioned);
  const version = tape.pick([1, 1, 1, 0, 2]);
  const contents = Uint8Array.from(object.contents);
  contents[offset] = version;
  chain.objects.set(object.id, { ...object, contents });
  return `${object.type} ${object.id} has version ${version}`;
}

function describe({ sender, inputs, commands, called }: Program, { failure }: ExecutionOutcome): string {
  const args = inputs.map((input) => {
    if (input.kind === 'pure') return Buffer.from(input.bytes).toString('hex');
    return input.kind === 'withdrawal' ? 'withdrawal' : input.object.id.slice(0, 8);
  });
  const calls = commands.map((command, at) => {
    if (command.$kind !== 'MoveCall') return command.$kind;
    const { typeArguments, arguments: list } = command.MoveCall;
    const types = typeArguments.map((type) => type.split('::').at(-1)).join();
    const given = list
      .map((one) => (one.$kind === 'Input' ? args[one.Input] : JSON.stringify(one)))
      .join(', ');
    return `${called[at] ?? 'market'}<${types}>(${given})`;
  });
  const end = failure === undefined ? 'done' : `failed: ${failure.reason.kind}`;
  return `${sender.slice(-5)}: ${calls.join('; ')}: ${end}`;
}
