import { callOptions, type PublisherReader } from '@adaptor-marketplace/adaptor/chain';
import {
  describePackage,
  nodePackages,
  type PackageSource,
  PackageUnreadableError,
} from '@adaptor-marketplace/adaptor/introspect';

const timeoutMs = 10_000;

/** The reader of one check. It reads each package once, for its description and for its bytecode. */
export interface CheckReader extends PublisherReader {
  packages: PackageSource;
}

/** Creates a reader that describes packages from their bytecode, and requests the description of others from the node. */
export function createCheckReader({ ledgerService, movePackageService }: PublisherReader): CheckReader {
  const node = nodePackages({ ledgerService });
  const read = readOnce((id) => node.read(id));
  const describe = readOnce(async (packageId) => {
    const described = await read(packageId).then(describePackage, ignoreUnreadable);
    // The node's description also has the reason why it gave no content.
    return described
      ? { response: { package: described } }
      : await movePackageService.getPackage({ packageId }, callOptions(timeoutMs));
  });
  return {
    ledgerService,
    packages: { read },
    movePackageService: { getPackage: ({ packageId = '' }) => describe(packageId) },
  };
}

function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof PackageUnreadableError)) throw error;
}

/** Lets reads of one id share one promise. */
function readOnce<Value>(read: (id: string) => Promise<Value>): (id: string) => Promise<Value> {
  const reads = new Map<string, Promise<Value>>();
  return (id) => {
    const known = reads.get(id) ?? read(id);
    reads.set(id, known);
    return known;
  };
}
