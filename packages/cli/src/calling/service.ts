import { chooseWitness, WitnessError } from '@adaptor-marketplace/adaptor/draft/choose-witness';
import { UsageError } from '../io.ts';
import type { Callable } from './callable.ts';

/**
 * The service that acts in a call: the one that is asked for, the only one, or the only one of the op's own module. A
 * wrong one is no danger: the wallet gives nothing to a service that the action does not name.
 * @param asked `Name`, `module::Name` or the service type
 * @throws UsageError that lists the services to choose from
 */
export function serviceOf({ witnesses, op }: Callable, asked: string | undefined): string {
  const own = witnesses.filter(({ module }) => module === op.module);
  try {
    const among = asked === undefined && own.length === 1 ? own : witnesses;
    return chooseWitness(among, asked).serviceType;
  } catch (error) {
    if (!(error instanceof WitnessError)) throw error;
    if (error.code === 'no_witness') {
      throw new UsageError(`${error.message} No service can act, so only --without-bounds calls it.`);
    }
    throw new UsageError([`${error.message} With --witness:`, ...error.serviceTypes].join('\n  '));
  }
}
