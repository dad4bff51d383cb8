import { GrpcError, GrpcStatusCode } from '../rpc/server/status.ts';
import type { Interceptor } from './interceptor.ts';

const lists = ['ListCheckpoints', 'ListTransactions', 'ListEvents'];

/** Refuses the lists of the ledger and of package versions, in the words of a node that has no indexes. */
export const refuseLists: Interceptor = ({ method }, next) => {
  if (method === 'ListPackageVersions') throw new GrpcError(GrpcStatusCode.NOT_FOUND, 'not found');
  if (!lists.includes(method)) return next();
  throw new GrpcError(GrpcStatusCode.UNAVAILABLE, 'rpc indexes are disabled');
};
