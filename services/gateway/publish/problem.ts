import { PackageError } from '@adaptor-marketplace/adaptor/packages/source';
import { BytecodeError } from '@adaptor-marketplace/move-toolchain/bytecode';
import { nodeProblem } from '../../../lib/chain/node/problem.ts';
import { problem } from '../../../lib/errors/index.ts';

/** What the chain says no to, or its node does not say, as a problem; other errors as they are. */
export function chainProblem(error: unknown): unknown {
  if (error instanceof PackageError) {
    if (error.reason === 'too_large') {
      return problem('package_too_large', error.message);
    }
    if (error.reason !== 'absent') return nodeProblem(error.reason === 'late');
    return problem('package_not_found', `${error.message} Is it on another network?`);
  }
  if (error instanceof BytecodeError) {
    return problem('unreadable_bytecode', error.message);
  }
  return error;
}
