import { PackageError } from '@adaptor-marketplace/adaptor/packages/source';
import { BytecodeError } from '@adaptor-marketplace/move-toolchain/bytecode';
import { nodeProblem } from '../../../lib/chain/node/problem.ts';
import { ProblemError } from '../../../lib/errors/index.ts';

/** What the chain says no to, or its node does not say, as a problem; other errors as they are. */
export function chainProblem(error: unknown): unknown {
  if (error instanceof PackageError) {
    if (error.reason === 'too_large') {
      return chainRefusal('package_too_large', 'Package too large', error.message);
    }
    if (error.reason !== 'absent') return nodeProblem(error.reason === 'late');
    return chainRefusal('package_not_found', 'No such package', `${error.message} Is it of another network?`);
  }
  if (error instanceof BytecodeError) {
    return chainRefusal('unreadable_bytecode', 'Unreadable bytecode', error.message);
  }
  return error;
}

/** The request is well-formed, but not about anything on the chain. */
export function chainRefusal(code: string, title: string, detail: string): ProblemError {
  return new ProblemError({ status: 422, code, title, detail });
}
