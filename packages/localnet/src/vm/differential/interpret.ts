import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { fromHex, toBase58 } from '@mysten/sui/utils';
import { txContextValue } from '../../execution/framework.ts';
import { TestChain } from '../../execution/testing/chain.ts';
import { cleverError } from '../../rpc/convert/clever-error.ts';
import type { FindModule } from '../../rpc/convert/status.ts';
import { serializeValue } from '../bcs.ts';
import { type LinkedFunction, linkModule } from '../code/linkage.ts';
import { VmError } from '../errors.ts';
import { STD, SUI } from '../framework.ts';
import { deserializeModule } from '../loader/bytecode.ts';
import { Meter } from '../meter.ts';
import { Machine } from '../runtime/machine.ts';
import { Session } from '../runtime/session.ts';
import type { TransactionFacts } from '../runtime/transaction-context.ts';
import { ByteVector, Ref, type Value } from '../values.ts';
import { verifyPackage } from '../verifier/index.ts';
import { caseName, packageFiles, type Suite } from './suite.ts';

/** What a function did: returned a value (its BCS), or stopped, and where (`0x...::module`). */
export type Outcome =
  | { kind: 'value'; bytes: Uint8Array }
  /** `constant`: the name of a constant with `#[error]`, whose code differs between a package and its tests. */
  | { kind: 'abort' | 'vector'; code: bigint; location: string; constant?: string | undefined }
  | { kind: 'arithmetic'; location: string }
  /** Stopped for a reason that no unit test can expect: the two machines differ, whatever the other one did. */
  | { kind: 'other'; message: string };

/** Where the unit tests of a package run. */
export const SELF = `0x${'0'.repeat(64)}`;

const address = (digits: string) => `0x${digits.padStart(64, '0')}`;

/** What `ctx` knows in every function of a suite. */
export const FACTS: TransactionFacts = {
  transactionDigest: toBase58(fromHex('07'.repeat(32))),
  sender: address('a11ce'),
  sponsor: address('50050'),
  epoch: 12n,
  epochTimestampMs: 1_700_000_000_123n,
  referenceGasPrice: 1_000n,
  gasPrice: 1_234n,
  gasBudget: 50_000_000n,
};

const MAX_UNITS = 20_000_000;

/** Puts compiled modules on a new chain where unit tests have them, checked as a published package is. */
export async function install(modules: Uint8Array[]): Promise<TestChain> {
  const chain = await TestChain.open();
  const named = modules.map((bytes) => {
    const json = deserializeModule(bytes);
    return [json.identifiers[json.module_handles[json.self_module_handle_idx]!.name]!, bytes] as const;
  });
  chain.addPackage(SELF, new Map(named), [STD, SUI]);
  verifyPackage(chain.packages.load(SELF, (id) => chain.objects.get(id)));
  return chain;
}

/**
 * Runs every function of some suites in our interpreter; answers the outcomes of each. `uncached`: the sources
 * are made again in each run, and their bytecode is not kept on disk. Throws when they do not compile or are
 * refused as a package.
 */
export async function interpret(
  suites: readonly Suite[],
  options: { uncached?: boolean } = {},
): Promise<Outcome[][]> {
  const { modules } = await compileSources(packageFiles(suites), options);
  return run(suites, modules);
}

/** Runs the functions of suites that were compiled to `modules`. */
export async function run(suites: readonly Suite[], modules: Uint8Array[]): Promise<Outcome[][]> {
  const chain = await install(modules);
  const owner = chain.packages.load(SELF, (id) => chain.objects.get(id));
  return suites.map(({ name, cases }) => {
    const module = owner.module(name)!;
    const linked = linkModule(owner, module);
    const findModule: FindModule = (id, named) =>
      chain.packages.load(id, (object) => chain.objects.get(object)).module(named);
    return cases.map((_, i) => readOutcome(linked.function(module.function(caseName(i))!), findModule));
  });
}

function readOutcome(callee: LinkedFunction, findModule: FindModule): Outcome {
  const meter = new Meter(MAX_UNITS);
  const session = new Session(FACTS, () => undefined, meter);
  session.running = { packageId: SELF, module: callee.fn.module.name };
  const { sender, epoch, epochTimestampMs } = FACTS;
  const digest = new ByteVector(Uint8Array.from(session.context.digest));
  const ctx: Value[] = [txContextValue(sender, digest, epoch, epochTimestampMs)];
  try {
    const [value] = new Machine(meter, session).run(callee, [], [new Ref(ctx, 0)]);
    return { kind: 'value', bytes: serializeValue(callee.fn.returns[0]!, value!) };
  } catch (error) {
    return readFailure(error, findModule);
  }
}

function readFailure(error: unknown, findModule: FindModule): Outcome {
  if (!(error instanceof VmError) || error.location === undefined) {
    return { kind: 'other', message: String(error) };
  }
  const { kind, code, message } = error;
  const { packageId, module: moduleName } = error.location;
  const location = `${packageId}::${moduleName}`;
  if (kind === 'abort') {
    const module = findModule(packageId, moduleName);
    return { kind, code, location, constant: module && cleverError(code, module.json)?.constantName };
  }
  if (kind === 'vector') return { kind, code, location };
  if (kind === 'arithmetic') return { kind, location };
  return { kind: 'other', message: `${kind}: ${message} in ${error.location.functionName}` };
}
