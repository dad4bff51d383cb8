import { compileForTests } from '@adaptor-marketplace/move-toolchain/test-package';
import { linkModule } from '../../src/vm/code/linkage.ts';
import { VmError } from '../../src/vm/errors.ts';
import type { LoadedFunction } from '../../src/vm/loader/module.ts';
import { Meter } from '../../src/vm/meter.ts';
import { ProvenanceMachine } from '../../src/vm/provenance/machine.ts';
import type { Execution } from '../../src/vm/provenance/trace.ts';
import type { Frame } from '../../src/vm/runtime/machine.ts';
import { INTEGER_BITS, isInteger } from '../../src/vm/types.ts';
import type { Value } from '../../src/vm/values.ts';
import { TestSession } from '../packages/scenario.ts';
import { findTestNative } from '../packages/test-natives.ts';
import { CertifiedPackages, placeAt } from './packages.ts';
import type { Random } from './random.ts';
import type { Statistics } from './statistics.ts';

/** Work that one unit test may do: random amounts may make a loop long. */
const MAX_UNITS = 3_000_000;

/** The address of the package whose tests run: not zero, which counts as the framework's. */
const OWN = `0x${'7e57'.repeat(16)}`;

/** The unit tests of a package. Each call of the package's functions by a test is an execution. */
export class UnitTests {
  readonly #packages: CertifiedPackages;
  readonly #tests: readonly LoadedFunction[];

  private constructor(packages: CertifiedPackages) {
    this.#packages = packages;
    const own = packages.load(OWN);
    this.#tests = [...own.content.modules.keys()]
      .filter(isTestModule)
      .flatMap((name) => own.module(name)!.functions)
      .filter(
        ({ visibility, parameters, returns }) =>
          visibility === 'Private' && parameters.length + returns.length === 0,
      );
  }

  /** @throws MoveCompileError */
  static async compile(folder: string): Promise<UnitTests> {
    const { packages, own } = await compileForTests(folder);
    const placed = new Map(
      [...packages].map(([id, modules]) =>
        id === own ? [OWN, modules.map((bytes) => placeAt(bytes, OWN))] : [id, modules],
      ),
    );
    return new UnitTests(new CertifiedPackages(placed));
  }

  get count(): number {
    return this.#tests.length;
  }

  /** Runs each test once. @param random changes numbers and flags of calls; undefined leaves them as the test has them */
  run(statistics: Statistics, random: Random | undefined): void {
    for (const test of this.#tests) this.#runTest(test, statistics, random);
  }

  #runTest(test: LoadedFunction, statistics: Statistics, random: Random | undefined): void {
    const session = new TestSession();
    session.running = { packageId: OWN, module: test.module.name };
    let observed: LoadedFunction | undefined;
    const machine = new ProvenanceMachine(new Meter(MAX_UNITS), session, {
      isObserved: (fn) => {
        const isCallable = fn.visibility === 'Public' || fn.isEntry;
        if (!isCallable || isTestModule(fn.module.name) || BigInt(fn.module.address) < 0x1_0000n)
          return false;
        observed = fn;
        return true;
      },
      prepare: (frame) => {
        if (random) changeScalars(frame, random);
      },
      record: (execution: Execution) => statistics.add(execution, this.#packages.certificate(observed!)),
    });
    const linked = linkModule(this.#packages.load(OWN), test.module, findTestNative);
    try {
      machine.run(linked.function(test), [], []);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
    }
  }
}

const isTestModule = (name: string): boolean => /_tests?$/.test(name);

function changeScalars({ locals, callee: { fn } }: Frame, random: Random): void {
  for (const [i, type] of fn.parameters.entries()) {
    if (random.below(4) > 0) continue;
    if (type.kind === 'bool') locals[i] = random.below(2) === 0;
    if (isInteger(type)) locals[i] = changeInteger(locals[i]!, INTEGER_BITS[type.kind], random);
  }
}

function changeInteger(value: Value, bits: number, random: Random): Value {
  const before = BigInt(value as number | bigint);
  const changed = random.pick([
    0n,
    1n,
    before + 1n,
    before - 1n,
    before * 2n,
    before / 2n,
    BigInt(random.below(1_000_000)),
  ]);
  const kept = BigInt.asUintN(bits, changed);
  return typeof value === 'number' ? Number(kept) : kept;
}
