import type { PackageFiles } from '@adaptor-marketplace/move-toolchain';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { testSources } from '@adaptor-marketplace/move-toolchain/test-package';
import { toBase58 } from '@mysten/sui/utils';
import { TestChain } from '../../execution/testing/chain.ts';
import { ALICE, call, input } from '../../execution/testing/commands.ts';
import type { ExecutionArgument, ExecutionOutcome } from '../../execution/types.ts';
import type { MoveObject, StoredObject } from '../../state/objects.ts';
import { install, SELF } from './interpret.ts';
import { MANIFEST } from './suite.ts';

/** An object that a step takes: the latest of its type that stands where `from` says. */
export interface Taken {
  type: string;
  from: 'sender' | 'shared' | 'immutable' | 'receiving';
  by: 'value' | '&' | '&mut';
}

/** One transaction of ALICE: a function of the taken objects (`a`, `b`, ...) and `ctx`. */
interface Step {
  takes?: Taken[];
  body: string;
}

/** Transactions one after another, as `sui::test_scenario` runs them. */
export type Scenario = Step[];

/** What a transaction did, in the terms of `test_scenario::TransactionEffects`, or the code that it aborted with. */
type Effects = Record<'created' | 'deleted' | 'shared' | 'frozen', string[]> & {
  deletedFields: number;
  transferred_to_account: [id: string, owner: string][];
  num_user_events: number;
};

const LETTERS = 'abcdef';
const functionName = (scenario: number, step: number) => `step_${scenario}_${step}`;

function stepFunction({ takes = [], body }: Step, name: string): string {
  const parameters = takes.map(({ type, from, by }, i) => {
    const whole = from === 'receiving' ? `transfer::Receiving<${type}>` : type;
    return `${LETTERS[i]}: ${by === 'value' ? whole : `${by} ${whole}`}`;
  });
  return `public fun ${name}(${[...parameters, 'ctx: &mut TxContext'].join(', ')}) { ${body} }`;
}

/** The sources of a package with a function for each step. */
export function scenarioFiles(members: string, scenarios: Scenario[], tests: string[] = []): PackageFiles {
  const functions = scenarios.flatMap((steps, i) =>
    steps.map((step, k) => stepFunction(step, functionName(i, k))),
  );
  const text = ['#[allow(unused)]\nmodule demo::cases {', members, ...functions, ...tests, '}'].join('\n');
  return { 'Move.toml': MANIFEST, 'sources/cases.move': text };
}

/**
 * `fields`: ids of objects that objects owned before. `returned`: shared and immutable objects that were only
 * read, which the test VM takes and gives back, so that its effects name them.
 */
function effectsOf(outcome: ExecutionOutcome, fields: Set<string>, returned: MoveObject[]): Effects {
  // A dynamic field is an object, but none that the test VM's effects speak of.
  const written = outcome.writes.filter((write) => 'owner' in write && write.owner.kind !== 'object');
  const ids = (writes: { id: string }[]) => writes.map(({ id }) => id).sort();
  const owned = (kind: string) => written.filter((write) => 'owner' in write && write.owner.kind === kind);
  const gone = outcome.writes.filter(({ change }) => change === 'deleted' || change === 'wrapped');
  const read = (kind: string) => returned.filter((object) => object.owner.kind === kind);
  return {
    created: ids(written.filter((write) => write.change === 'created')),
    deleted: ids(gone.filter(({ id }) => !fields.has(id))),
    deletedFields: gone.filter(({ id }) => fields.has(id)).length,
    shared: ids([...owned('shared'), ...read('shared')]),
    frozen: ids([...owned('immutable'), ...read('immutable')]),
    transferred_to_account: owned('address')
      .map((write): [string, string] => [
        write.id,
        'owner' in write && write.owner.kind === 'address' ? write.owner.address : '',
      ])
      .sort(),
    num_user_events: outcome.events.length,
  };
}

/** Where the latest object of a type stands; `parent`: the object that owns the received one. */
function find(chain: TestChain, { type, from }: Taken, parent: string | undefined): MoveObject {
  const owners = { sender: ALICE, receiving: parent, shared: undefined, immutable: undefined };
  const found = [...chain.objects.values()].findLast(
    (object): object is MoveObject =>
      object.kind === 'move' &&
      object.type === `${SELF}::cases::${type}` &&
      object.owner.kind === (from === 'sender' || from === 'receiving' ? 'address' : from) &&
      (object.owner.kind !== 'address' || object.owner.address === owners[from]),
  );
  if (found === undefined) throw new Error(`nobody left a ${type} (${from})`);
  return found;
}

const idLiteral = (id: string) => `object::id_from_address(@${id})`;

/** The lines of a unit test that take an object; and those that put it back after it was borrowed. */
function take({ type, from, by }: Taken, letter: string, id: string): [take: string, putBack: string] {
  const binding = `let ${by === '&mut' ? 'mut ' : ''}${letter}`;
  switch (from) {
    case 'sender':
      return [
        `${binding} = s.take_from_sender_by_id<${type}>(${idLiteral(id)});`,
        by === 'value' ? '' : `s.return_to_sender(${letter});`,
      ];
    case 'receiving':
      return [`${binding} = sui::test_scenario::receiving_ticket_by_id<${type}>(${idLiteral(id)});`, ''];
    default:
      return [
        `${binding} = s.take_${from}_by_id<${type}>(${idLiteral(id)});`,
        by === 'value' ? '' : `sui::test_scenario::return_${from}(${letter});`,
      ];
  }
}

function assertions(effects: Effects): string[] {
  const check = (what: string, actual: string, expected: string) =>
    `assert!(sorted(${actual}) == vector<address>[${expected}], ${CHECKS.indexOf(what)});`;
  const ids = (['created', 'shared', 'frozen'] as const).map((what) =>
    check(what, `e.${what}()`, effects[what].map((id) => `@${id}`).join(', ')),
  );
  const moved = effects.transferred_to_account;
  const owners = moved.map(([id, owner]) => `assert!(*m.get(&${idLiteral(id)}) == @${owner}, 5);`);
  // The test VM is a 32-bit program: it hashes a key's length in four bytes instead of eight, so its dynamic
  // fields have other ids than a chain's, and are only counted.
  const gone = effects.deleted.length + effects.deletedFields;
  return [
    ...ids,
    `assert!(e.deleted().length() == ${gone}, 1);`,
    ...effects.deleted.map((id) => `assert!(e.deleted().contains(&${idLiteral(id)}), 1);`),
    'let m = e.transferred_to_account();',
    check('transferred', 'm.keys()', moved.map(([id]) => `@${id}`).join(', ')),
    ...owners,
    `assert!(e.num_user_events() == ${effects.num_user_events}, 6);`,
  ];
}

/** Abort codes of the unit tests' own assertions, by position. */
const CHECKS = ['created', 'deleted', 'shared', 'frozen', 'transferred', 'owner', 'events'];

/** Ids as numbers in ascending order, which is that of their hex digits. */
const SORTED = `#[test_only] fun sorted(ids: vector<ID>): vector<address> {
  let mut all = ids.map!(|id| id.to_address());
  let n = all.length();
  n.do!(|i| n.do!(|j| if (i < j && all[j].to_u256() < all[i].to_u256()) all.swap(i, j)));
  all
}`;

/**
 * Runs scenarios in our executor and in the test VM. Answers the names of the unit tests that failed there, and
 * the runner's output.
 */
export async function compareScenarios(
  members: string,
  scenarios: Scenario[],
): Promise<{ ran: number; failed: string[]; output: string }> {
  const { modules } = await compileSources(scenarioFiles(members, scenarios));
  const installed = await install(modules);
  const tests = scenarios.map((steps, i) => {
    const chain = new TestChain();
    for (const [id, object] of installed.objects) chain.objects.set(id, object);
    return unitTest(chain, steps, i);
  });
  const run = await testSources(scenarioFiles(`${members}\n${SORTED}`, scenarios, tests));
  const failed = run.tests.filter((test) => !test.passed).map((test) => test.name);
  return { ran: run.tests.length, failed, output: run.output };
}

function unitTest(chain: TestChain, steps: Scenario, index: number): string {
  const lines: string[] = [`let mut s = sui::test_scenario::begin(@${ALICE});`];
  let attribute = '#[test]';
  for (const [k, step] of steps.entries()) {
    const takes = step.takes ?? [];
    const objects: MoveObject[] = [];
    for (const taken of takes) objects.push(find(chain, taken, objects[0]?.id));
    const fields = new Set([...chain.objects.values()].filter(isField).map(({ id }) => id));
    const outcome = chain.run(
      [
        call(
          `${SELF}::cases::${functionName(index, k)}`,
          takes.map((_, i) => input(i)),
        ),
      ],
      {
        transactionDigest: digestOf(k),
        epoch: 0n,
        epochTimestampMs: 0n,
        inputs: takes.map((taken, i) => argument(taken, objects[i]!)),
      },
    );
    const parts = takes.map((taken, i) => take(taken, LETTERS[i]!, objects[i]!.id));
    const args = takes.map(({ by }, i) => `${by === 'value' ? '' : by} ${LETTERS[i]}`.trim());
    lines.push('{', ...parts.map(([take]) => take));
    lines.push(
      `${functionName(index, k)}(${[...args, 's.ctx()'].join(', ')});`,
      ...parts.map(([, back]) => back),
      '};',
    );
    if (outcome.failure !== undefined) {
      attribute = `#[test, ${expectation(outcome)}]`;
      lines.push('abort 1000');
      return `${attribute} fun scenario_${index}() { ${lines.join('\n')} }`;
    }
    const returned = objects.filter((_, i) => takes[i]!.from !== 'sender' && takes[i]!.by === '&');
    lines.push(`let e = s.next_tx(@${ALICE});`, ...assertions(effectsOf(outcome, fields, returned)));
  }
  return `${attribute} fun scenario_${index}() { ${[...lines, 's.end();'].join('\n')} }`;
}

function isField(object: StoredObject): boolean {
  return object.kind === 'move' && object.owner.kind === 'object';
}

function expectation({ failure }: ExecutionOutcome): string {
  if (failure?.reason.kind !== 'MoveAbort') throw new Error(`not comparable: ${failure?.reason.kind}`);
  const { code, location } = failure.reason;
  return `expected_failure(abort_code = ${code}, location = ${location.packageId}::${location.module})`;
}

function argument(taken: Taken, object: MoveObject): ExecutionArgument {
  if (taken.from === 'receiving') return { kind: 'receiving', object };
  return { kind: 'object', object, mutable: taken.by !== '&' };
}

/** What `test_scenario` gives the transaction of this number: the number itself, little-endian. */
function digestOf(transaction: number): string {
  const digest = Buffer.alloc(32);
  digest.writeUInt32LE(transaction);
  return toBase58(digest);
}
