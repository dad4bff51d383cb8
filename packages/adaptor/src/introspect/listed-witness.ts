import { BytecodeError } from '@adaptor-marketplace/move-bytecode';
import type { PackageContent } from '../packages/source.ts';
import type { CodeModule } from './code/module.ts';
import { Program } from './code/program.ts';
import { createPause } from './pauses.ts';
import type { WitnessWarning } from './types.ts';
import { findWitnessWarnings } from './witness-warnings.ts';
import { listStructs } from './witnesses.ts';

/** Cost bounds of one check: bytes of bytecode, and milliseconds. Chains accept only far smaller packages. */
const bounds = { bytes: 8 * 1024 * 1024, ms: 20_000 };

/**
 * Finds the problems of a listed witness from the bytecode of its package alone. The list is empty if there are none,
 * or if the package has no such struct. If the bytecode cannot be read within the bounds, the only warning is
 * `witness_unchecked`.
 * @param options.parsed modules of the content that are parsed already
 * @param options.bytesMax bound on the bytecode, which tests set lower
 */
export async function listedWitnessWarnings(
  content: PackageContent,
  { module: moduleName, witness }: { module: string; witness: string },
  { parsed, bytesMax = bounds.bytes }: { parsed?: readonly CodeModule[] | undefined; bytesMax?: number } = {},
): Promise<WitnessWarning[]> {
  const bytes = [...content.modules.values()].reduce((sum, { length }) => sum + length, 0);
  if (bytes > bytesMax) return [createUncheckedWarning(`has more than ${bytesMax} bytes of bytecode`)];
  const deadline = AbortSignal.timeout(bounds.ms);
  const pause = createPause(deadline);
  try {
    const modules: CodeModule[] = [];
    for (const module of parsed ?? new Program(content).rootModules()) {
      modules.push(module);
      await pause();
    }
    const module = modules.find(({ name }) => name === moduleName);
    const structs = module ? listStructs(module, content.originalId) : [];
    const named = structs.filter(({ name }) => name === witness);
    return (await findWitnessWarnings(modules, named, pause)).flat();
  } catch (error) {
    if (error instanceof BytecodeError)
      return [createUncheckedWarning('has bytecode that this host cannot read')];
    if (deadline.aborted) return [createUncheckedWarning('takes too long to read')];
    throw error;
  }
}

const createUncheckedWarning = (why: string): WitnessWarning => ({
  code: 'witness_unchecked',
  detail: `The package ${why}, so who can make a value of its witness is unknown: read its source before you grant.`,
});
