import { normalizeAddress } from '../chain/names.ts';
import { type PackageContent, type PackageSource, PackageUnreadableError } from '../packages/source.ts';
import type { CodeModule } from './code/module.ts';
import { Program } from './code/program.ts';
import { Analysis } from './flow/analysis.ts';
import { findHotPotatoes } from './hot-potatoes.ts';
import { describeOp } from './ops.ts';
import { createPause } from './pauses.ts';
import type { IntrospectedOp, Introspection } from './types.ts';
import { findWitnesses } from './witnesses.ts';

/** Options of one introspection. */
export interface IntrospectOptions {
  /** Original id of the network's own wallet package. Other wallets are recognized with less confidence. */
  walletPackageId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Cost bounds of one introspection: analysis steps in each round, number and bytes of the dependencies that are read,
 * and rounds, each of which follows calls further into dependencies.
 */
const bounds = { steps: 1_000_000, packages: 32, bytes: 8 * 1024 * 1024, rounds: 4 };

/** Maximum length of the description of a package's functions, in characters. A long type can occur in all of them. */
const descriptionLengthMax = 8 * 1024 * 1024;

/** Maximum number of concurrent reads of packages. */
const concurrentReadsMax = 8;

/**
 * Reads a package's interface from its bytecode. The analysis follows data into the packages that it calls, as far as
 * the bounds allow; code beyond them only makes guesses less certain. The result is deterministic: it is always the
 * same for a package version, except for a framework package, which is upgraded in place.
 * @throws PackageUnreadableError if the package or the node does not answer, or the description is too large;
 * BytecodeError if a module is not valid bytecode
 */
export async function introspect(
  source: PackageSource,
  packageId: string,
  { walletPackageId, signal }: IntrospectOptions = {},
): Promise<Introspection> {
  const program = new Program(await source.read(packageId, signal));
  const pause = createPause(signal);
  const modules: CodeModule[] = [];
  for (const module of program.rootModules()) {
    program.addMissing(module.mentions);
    modules.push(module);
    await pause();
  }
  const ownWallet = walletPackageId && normalizeAddress(walletPackageId);
  const isOwnWallet = (address: string) => address === ownWallet;
  const read = { packages: 0, bytes: 0 };
  const refused = new Set<string>();
  for (let round = 1; ; round++) {
    await readMissing(program, source, read, refused, signal);
    const analysis = new Analysis(program, { left: bounds.steps }, pause);
    const ops: IntrospectedOp[] = [];
    let describedLength = 0;
    for (const module of modules) {
      for (const [index, definition] of module.functions.entries()) {
        const summary = await analysis.getSummary(module, index);
        const op = describeOp(program, module, definition, summary, isOwnWallet);
        describedLength += JSON.stringify(op).length;
        if (describedLength > descriptionLengthMax) throw descriptionTooLarge(program.root.id);
        ops.push(op);
        await pause();
      }
    }
    const more = [...program.missing].some((id) => !refused.has(id));
    if (more && round < bounds.rounds) continue;
    return {
      witnesses: await findWitnesses(program, modules, pause),
      ops,
      hotPotatoes: findHotPotatoes(program, modules),
      modules: modules.map(({ name }) => name),
    };
  }
}

function descriptionTooLarge(id: string): PackageUnreadableError {
  const message = `The functions of package ${id} need a description of more than ${descriptionLengthMax >> 20} MiB.`;
  return new PackageUnreadableError('too_large', id, message);
}

/** Reads the missing dependencies within the bounds. Adds those that stay unread to `refused`. */
async function readMissing(
  program: Program,
  source: PackageSource,
  read: { packages: number; bytes: number },
  refused: Set<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const requested = [...program.missing].filter((id) => !refused.has(id)).sort();
  for (let i = 0; i < requested.length; i += concurrentReadsMax) {
    const full = read.packages >= bounds.packages || read.bytes >= bounds.bytes;
    const ids = full
      ? []
      : requested.slice(i, i + Math.min(concurrentReadsMax, bounds.packages - read.packages));
    read.packages += ids.length;
    const contents = await Promise.all(ids.map((id) => readIfPresent(source, id, signal)));
    for (const content of contents) {
      if (!content) continue;
      for (const bytes of content.modules.values()) read.bytes += bytes.length;
      program.add(content);
    }
  }
  for (const id of requested) if (program.missing.has(id)) refused.add(id);
}

/** Returns undefined for a package that the source does not have. */
async function readIfPresent(
  source: PackageSource,
  id: string,
  signal: AbortSignal | undefined,
): Promise<PackageContent | undefined> {
  try {
    return await source.read(id, signal);
  } catch (error) {
    if (error instanceof PackageUnreadableError && error.reason === 'absent') return undefined;
    throw error;
  }
}
