import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { LoadedModule } from '../../vm/loader/module.ts';
import type { LoadedPackage } from '../../vm/loader/package.ts';
import type { ChainView } from '../convert/chain-view.ts';
import { datatypeMessage, functionMessage, packageMessage } from '../convert/package.ts';
import { parseAddress } from '../query/move-path.ts';
import { bindService } from '../server/service.ts';
import { GrpcError, GrpcStatusCode, notFound } from '../server/status.ts';
import { missingField } from '../server/status-details.ts';

const { INTERNAL, INVALID_ARGUMENT } = GrpcStatusCode;

interface NamedInModule {
  packageId?: string;
  moduleName?: string;
  name?: string;
}

/** Versions per page. */
const versionLimits = { default: 1_000, max: 10_000 };

/** Packages, their datatypes and functions, as their bytecode declares them. */
export function packageService(view: ChainView) {
  function findPackage(packageId: string | undefined): LoadedPackage {
    const id = parseAddress(packageId, 'package_id');
    const found = view.package(id);
    if (found) return found;
    if (view.ledger.getObject(id)) throw new GrpcError(INVALID_ARGUMENT, 'object is not a package');
    throw notFound(`Package ${id} not found`);
  }

  /** @throws GrpcError INTERNAL for a module that the package lacks, as a node does */
  function findModule({ packageId, moduleName, name }: NamedInModule): {
    module: LoadedModule;
    name: string;
  } {
    if (!packageId) throw missingField('package_id');
    if (!moduleName) throw missingField('module_name');
    if (!name) throw missingField('name');
    const owner = findPackage(packageId);
    const module = owner.module(moduleName);
    if (module) return { module, name };
    throw new GrpcError(INTERNAL, `Module not found: ${owner.id}::${moduleName.slice(0, 200)}`);
  }

  return bindService<SuiGrpcClient['movePackageService']>(GrpcTypes.MovePackageService, {
    getPackage: async ({ packageId }) => ({ package: packageMessage(findPackage(packageId)) }),

    async getDatatype(request) {
      const { module, name } = findModule(request);
      const datatype = module.package.datatype(module.name, name);
      if (!datatype) throw new GrpcError(INTERNAL, `Datatype '${name.slice(0, 200)}' not found`);
      return { datatype: datatypeMessage(module.package.id, datatype) };
    },

    async getFunction(request) {
      const { module, name } = findModule(request);
      const found = module.function(name);
      if (!found) throw new GrpcError(INTERNAL, `Function not found: ${name.slice(0, 200)}`);
      return { function: functionMessage(found) };
    },

    async listPackageVersions({ packageId, pageSize, pageToken }) {
      const id = parseAddress(packageId, 'package_id');
      findPackage(id);
      const { items, next } = view.ledger.listPackageVersions(id, {
        limit: Math.min(pageSize || versionLimits.default, versionLimits.max),
        ...(pageToken && { after: Buffer.from(pageToken).toString('utf8') }),
      });
      return { versions: items, ...(next !== undefined && { nextPageToken: Buffer.from(next, 'utf8') }) };
    },
  });
}
